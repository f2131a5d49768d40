/* page.c - the frame of a page, and the two reports of a release as sequences of parts. */
#include "report/page/page.h"

#include <math.h>
#include <string.h>

/* ---- small texts ---- */

void hr_page_share(double share, hr_text *out) {
    double percent = 100 * share;
    if (percent > 0 && percent < 0.1)
        hr_text_puts(out, "under 0.1\u00a0%");
    else if (percent < 100 && percent > 99.9)
        hr_text_puts(out, "over 99.9\u00a0%");
    else
        hr_text_printf(out, "%.*f\u00a0%%",
                       (percent > 0 && percent < 10) || (percent > 99 && percent < 100) ? 1 : 0,
                       percent);
}

void hr_page_count(uint64_t count, const char *one, const char *many, hr_text *out) {
    hr_number_text((double)count, 0, out);
    hr_text_printf(out, " %s%s", count == 1 || !many ? one : many, count == 1 || many ? "" : "s");
}

const char *hr_page_counted(const hr_account *account, bool one) {
    if (account->verdict.unit) return one ? "person" : "people";
    return one ? "row" : "rows";
}

void hr_page_figure(const char *name, hr_text *out) {
    hr_text_puts(out, "<figure>");
    if (!name) return;
    hr_text_puts(out, "<h3>");
    hr_html_text(out, name);
    hr_text_puts(out, "</h3>");
}

void hr_page_caption(const char *caption, hr_text *out) {
    hr_text_puts(out, "<figcaption>");
    hr_html_text(out, caption);
    hr_text_puts(out, "</figcaption></figure>\n");
}

void hr_page_row(const char *column, const char *other, hr_text *out) {
    enum { LONG = 220 }; /* pixels of the font of charts */
    bool wraps = hr_label_width(column) > LONG || (other && hr_label_width(other) > LONG);
    hr_text_printf(out, "<tr><th scope=\"row\"%s>", wraps ? " class=\"long\"" : "");
    hr_html_text(out, column);
    if (other) hr_text_puts(out, ", ");
    if (other) hr_html_text(out, other);
    hr_text_puts(out, "</th>");
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
        "the original, so it must not be published. --public-report FILE.html writes a page to "
        "publish beside the release.",
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
    hr_page_words(account, true, out);
    hr_page_method(account, true, digest, out);
    hr_page_close(out);
}

void hr_page_public(const hr_account *account, const char *digest, hr_text *out) {
    open_report("How this release was made", file_name(account->method.output),
                "For the readers of the release. It describes the release alone, and may be "
                "published with it.",
                out);
    hr_page_public_verdict(account, out);
    hr_page_precision(account, false, out);
    hr_page_sizes(account, out);
    hr_page_risk(account, false, out);
    hr_page_promises(out);
    hr_page_words(account, false, out);
    hr_page_method(account, false, digest, out);
    hr_page_close(out);
}

/* Prints a selector of the style sheet, restricted to elements of the part; selectors for the page
 * as a whole select the part. */
static void put_selector(const char *selector, size_t length, hr_text *out) {
    static const char *const pages[] = {":root", "body"};
    size_t page = 0;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (length == strlen(pages[i]) && !memcmp(selector, pages[i], length)) page = length;
    hr_text_puts(out, page ? ".hedgerow" : ".hedgerow ");
    hr_text_add(out, selector + page, length - page);
}

/* A list of selectors, separated by commas. */
static void put_selectors(const char *list, const char *end, hr_text *out) {
    for (bool first = true; list < end; first = false) {
        const char *comma = memchr(list, ',', (size_t)(end - list)), *stop = comma ? comma : end;
        while (list < stop && strchr(" \n", *list))
            list++;
        size_t length = (size_t)(stop - list);
        while (length && strchr(" \n", list[length - 1]))
            length--;
        if (!first) hr_text_puts(out, ", ");
        put_selector(list, length, out);
        list = comma ? comma + 1 : end;
    }
    hr_text_puts(out, " ");
}

/* The style sheet of pages, its rules restricted to the part: the page around it keeps its look.
 * The rules for paper, which are the last, are left out. */
static void put_part_style(hr_text *out) {
    const char *at = hr_style_css, *end = strstr(at, "@page");
    if (!end) end = at + hr_style_css_size;
    while (at < end) {
        const char *comment = *at == '/' ? strstr(at, "*/") : NULL;
        const char *brace = strpbrk(at, "{}");
        if (comment) {
            at = comment + 2;
        } else if (*at == ' ' || *at == '\n' || !brace) {
            at++;
        } else if (*at == '@' || *at == '}') { /* begin and end of @media */
            hr_text_add(out, at, (size_t)(brace + 1 - at));
            hr_text_puts(out, "\n");
            at = brace + 1;
        } else {
            const char *close = strchr(brace, '}');
            put_selectors(at, brace, out);
            hr_text_add(out, brace, (size_t)(close + 1 - brace));
            hr_text_puts(out, "\n");
            at = close + 1;
        }
    }
    hr_text_puts(out, ".hedgerow { padding: 0 1rem 1rem }\n");
}

void hr_page_part(const hr_account *account, bool style, hr_text *out) {
    hr_text_puts(out, "<div class=\"hedgerow\">\n");
    if (style) {
        hr_text_puts(out, "<style>\n");
        put_part_style(out);
        hr_text_puts(out, "</style>\n");
    }
    hr_page_verdict(account, out);
    hr_page_precision(account, true, out);
    hr_page_sizes(account, out);
    hr_text_puts(out, "</div>\n");
}
