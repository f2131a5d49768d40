// eslint.config.mjs - lint of the page's scripts: eslint's recommended rules, and nothing that the
// policy of the server would refuse (eval, texts as scripts or markup).
import { createRequire } from "node:module";

const require = createRequire(`${process.env.MODULES}/`);
const names = ["addEventListener", "clearTimeout", "confirm", "console", "document", "Element", "fetch", "HTMLElement", "HTMLInputElement",
  "HTMLTextAreaElement", "location", "Node", "performance", "ResizeObserver", "setTimeout", "SVGElement", "window"];

export default [{
  ...require("@eslint/js").configs.recommended,
  languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: Object.fromEntries(names.map((name) => [name, "readonly"])) },
  linterOptions: { reportUnusedDisableDirectives: "error" },
}, {
  rules: {
    eqeqeq: "error", "no-eval": "error", "no-implied-eval": "error", "no-var": "error", "prefer-const": "error", "no-shadow": "error",
    "no-restricted-properties": ["error", ...["innerHTML", "outerHTML", "insertAdjacentHTML"].map((property) => ({ property })),
      { object: "document", property: "write" }],
  },
}];
