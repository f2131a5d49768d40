#!/usr/bin/env bash
# run.sh COMMAND - open the page of `hedgerow compare` in a browser and check that every chart has
# curves with points inside its frame, that no texts overlap, and that the page makes no request.
# Skipped (77) without Chromium; `tools/deps browser` installs it.
set -uo pipefail
hedgerow=$(realpath "$1")
browser=
for name in chromium-headless-shell chromium chromium-browser google-chrome chrome; do
    command -v "$name" >/dev/null && { browser=$name; break; }
done
if [ -z "$browser" ]; then
    echo "skipped: there is no Chromium to look at the page with (tools/deps browser)"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED $*"; failed=1; }

# A script that lists the faults of a page. It is added to a copy of the page without the policy that
# forbids scripts.
cat >"$work/probe.js" <<'PROBE'
<script>
const box = e => e.getBoundingClientRect(), say = [];
const charts = [...document.querySelectorAll("svg.chart")].filter(c => !c.querySelector("rect")); // not the heat map
document.querySelectorAll("details").forEach(d => d.open = true);
say.push("charts " + charts.length);
charts.forEach(chart => {
  const frame = box(chart), marks = [...chart.querySelectorAll("path.mark")];
  const lines = [...chart.querySelectorAll("path.line")].filter(l => l.getTotalLength() > 0);
  const texts = [...chart.querySelectorAll("text")].map(box);
  const out = b => b.left < frame.left - 1 || b.right > frame.right + 1 || b.top < frame.top - 1 ||
    b.bottom > frame.bottom + 1;
  const cross = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const name = chart.getAttribute("aria-label");
  if (!marks.length) say.push("no marks in " + name);
  const places = new Set(marks.map(m => Math.round(box(m).left + box(m).width / 2)));
  if (!lines.length && places.size > 1) say.push("no lines in " + name);
  const bounds = [...chart.querySelectorAll("path.bound")];
  if (bounds.some(l => l.getTotalLength() < 5)) say.push("a bound that is not seen in " + name);
  if (bounds.map(box).some(out)) say.push("a bound outside of " + name);
  if (name.startsWith("Loss (NTIL)") && !bounds.length) say.push("no bound in " + name);
  if (marks.map(box).some(out)) say.push("a mark outside of " + name);
  if (texts.some(out)) say.push("a text outside of " + name);
  if (texts.some((a, m) => texts.some((b, n) => m < n && cross(a, b))))
    say.push("texts over each other in " + name);
  if (!marks.every(m => getComputedStyle(m).stroke.startsWith("rgb"))) say.push("no colour in " + name);
});
if (document.documentElement.scrollWidth > innerWidth) say.push("the page is wider than the window");
performance.getEntriesByType("resource").forEach(r => say.push("asked for " + r.name));
const pre = document.createElement("pre");
pre.id = "probe";
pre.textContent = "\n" + say.join("\n") + "\n";
document.body.append(pre);
</script></body>
PROBE

# look PAGE CHARTS - the page must have that many charts and no faults, on a wide and a narrow window
look() {
    local width found
    sed -e '/Content-Security-Policy/d' "$1" >"$work/probe.html"
    sed -i -e "/<\/body>/{r $work/probe.js" -e 'd}' "$work/probe.html"
    for width in 1200 400; do
        timeout 120 "$browser" --headless --no-sandbox --disable-gpu --window-size=$width,900 \
            --virtual-time-budget=5000 --user-data-dir="$work/profile" \
            --dump-dom "file://$work/probe.html" >"$work/dom" 2>"$work/log" ||
            { fail "the browser did not run"; tail -n 5 "$work/log"; return; }
        found=$(sed -n '/<pre id="probe">/,/<\/pre>/p' "$work/dom" | grep -v 'pre')
        [ "$found" = "charts $2" ] || fail "$1, $width wide: expected charts $2 and nothing else, found
$found"
    done
}

# closed PAGE - the page must refer to no other resource, and must have a policy that forbids requests.
closed() {
    grep -Eoi '( src=| href=|url\(|@import|https?:|=.//)[^ ]*' "$1" && fail "$1 names another place"
    grep -q "default-src 'none'" "$1" || fail "$1 has no policy"
    grep -qi '<script' "$1" && fail "$1 has a script"
}

cd "$work" || exit 1
"$hedgerow" generate census --rows 2000 -o data >/dev/null 2>&1
"$hedgerow" compare data/census.yaml -k 3,8,100 -p 1-3 -o grid.html --quiet >/dev/null || fail "compare"
"$hedgerow" compare data/census.yaml -k 2,5,10,20,60,2000 -p 1 -o line.html --quiet >/dev/null || fail "compare"
"$hedgerow" compare data/census.yaml -k 3 -p 2 -a mam -o '<&x>.html' --quiet >/dev/null || fail "compare"
"$hedgerow" compare data/census.yaml -k 3 -p 1 -a hedge,GreedyPKClustering -o one.html --quiet >/dev/null || fail "compare"
for page in grid.html line.html one.html '<&x>.html'; do closed "$page"; done
look grid.html 36 # six figures against p for three k, and against k for three p
look line.html 6
look one.html 7
[ $failed = 0 ] && echo "ok"
exit $failed
