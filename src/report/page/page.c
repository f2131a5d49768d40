/* page.c - the frame of a page, and the two reports of a release as sequences of parts. */
#include "report/page/page.h"

#include <math.h>
#include <string.h>

/* ---- small texts ---- */

void hr_page_share(double share, hr_text *out) {
    double percent = 100 * share;
    if (percent > 0 && percent < 0.1)
        hr_text_puts(out, "under 0.1 %");
    else if (percent < 100 && percent > 99.9)
        hr_text_puts(out, "over 99.9 %");
    else
        hr_text_printf(out, "%.*f %%",
                       (percent > 0 && percent < 10) || (percent > 99 && percent < 100) ? 1 : 0,
                       percent);
}

void hr_page_count(uint64_t count, const char *one, const char *many, hr_text *out) {
    hr_number_text((double)count, 0, out);
    hr_text_printf(out, " %s%s", count == 1 || !many ? one : many, count == 1 || many ? "" : "s");
}

void hr_page_figure(hr_text *out) {
    hr_text_puts(out, "<figure>");
}

void hr_page_caption(const char *caption, hr_text *out) {
    hr_text_puts(out, "<figcaption>");
    hr_html_text(out, caption);
    hr_text_puts(out, "</figcaption></figure>\n");
}

/* ---- the frame ---- */

void hr_page_open(const char *title, const char *below, hr_text *out) {
    hr_text_puts(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                      "style-src 'unsafe-inline'\">\n<title>");
    hr_html_text(out, title);
    hr_text_puts(out, "</title>\n<style>\n");
    hr_text_add(out, hr_style_css, hr_style_css_size);
    hr_text_puts(out, "</style></head><body>\n<main>\n<header>\n<h1>");
    hr_html_text(out, title);
    hr_text_puts(out, "</h1>\n<p class=\"soft\">");
    hr_html_text(out, below);
    hr_text_puts(out, "</p>\n</header>\n");
}

void hr_page_close(hr_text *out) {
    hr_text_puts(out, "</main>\n</body></html>\n");
}

/* ---- reports ---- */

static const char *file_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

static void open_report(const char *what, const char *name, const char *below, hr_text *out) {
    hr_text title = {0};
    hr_text_puts(&title, what);
    if (name) hr_text_printf(&title, ": %s", name);
    hr_page_open(title.failed ? what : title.data, below, out);
    out->failed |= title.failed;
    hr_text_free(&title);
}

void hr_page_report(const hr_account *account, const hr_lost *lost, const char *digest,
                    hr_text *out) {
    open_report(
        "Report on a release", file_name(account->method.input),
        "For the owner of the data and for those who decide about the release. It describes "
        "the original, so it must not be published; the public report may.",
        out);
    hr_page_verdict(account, out);
    hr_page_risk(account, true, out);
    hr_page_precision(account, true, out);
    hr_page_attributes(account, out);
    hr_page_sizes(account, out);
    hr_page_worst(account, out);
    hr_page_lost(account, lost, out);
    hr_page_utility(account, out);
    hr_page_warnings(account, out);
    hr_page_promises(out);
    hr_page_words(true, out);
    hr_page_method(account, true, digest, out);
    hr_page_close(out);
}

void hr_page_public(const hr_account *account, const char *digest, hr_text *out) {
    open_report("How this release was made", file_name(account->method.output),
                "For the readers of the release. It describes the release alone.", out);
    hr_page_public_verdict(account, out);
    hr_page_precision(account, false, out);
    hr_page_sizes(account, out);
    hr_page_risk(account, false, out);
    hr_page_promises(out);
    hr_page_words(false, out);
    hr_page_method(account, false, digest, out);
    hr_page_close(out);
}

void hr_page_part(const hr_account *account, bool style, hr_text *out) {
    hr_text_puts(out, "<div class=\"hedgerow\">\n");
    if (style) {
        hr_text_puts(out, "<style>\n");
        hr_text_add(out, hr_style_css, hr_style_css_size);
        hr_text_puts(out, "</style>\n");
    }
    hr_page_verdict(account, out);
    hr_page_precision(account, true, out);
    hr_page_sizes(account, out);
    hr_text_puts(out, "</div>\n");
}
