/* ui_report.c - the report of a run as a page of this server. The report is one HTML file that
 * contains its style sheet, but the server's content security policy forbids styles inside a page.
 * So the style sheet is served as a file of its own. */
#include "ui/ui_http.h"

#include <stdlib.h>
#include <string.h>

static const char style_open[] = "<style>", style_close[] = "</style>",
                  policy_open[] = "<meta http-equiv=\"Content-Security-Policy\"";

/* The report as HTML; it is made once. */
static const char *report_of(ui_run *run) {
    char *html = NULL;
    if (!run->page && run->release && hr_release_report_html(run->release, &html, NULL) == HR_OK) {
        run->page = ui_copy(html);
        hr_free(html);
    }
    return run->page;
}

void ui_report_reply(struct evhttp_request *request, ui_run *run) {
    const char *html = report_of(run);
    const char *style = html ? strstr(html, style_open) : NULL;
    const char *end = style ? strstr(style, style_close) : NULL;
    const char *policy = html ? strstr(html, policy_open) : NULL;
    const char *past = policy ? strchr(policy, '>') : NULL;
    if (!end || !past || past > style) {
        ui_refuse(request, 500, "the report could not be made");
        return;
    }
    char *page = ui_format("%.*s%.*s<link rel=\"stylesheet\" href=\"/report.css?run=%u\">%s",
                           (int)(policy - html), html, (int)(style - past - 1), past + 1, run->id,
                           end + sizeof style_close - 1);
    if (page)
        ui_reply_text(request, "text/html; charset=utf-8", NULL, page, strlen(page));
    else
        ui_refuse(request, 500, "out of memory");
    free(page);
}

void ui_report_style(struct evhttp_request *request, ui_run *run) {
    const char *html = report_of(run);
    const char *style = html ? strstr(html, style_open) : NULL;
    const char *end = style ? strstr(style, style_close) : NULL;
    if (!end) {
        ui_refuse(request, 500, "the report could not be made");
        return;
    }
    style += sizeof style_open - 1;
    ui_reply_text(request, "text/css; charset=utf-8", NULL, style, (size_t)(end - style));
}

void ui_report_file(struct evhttp_request *request, ui_run *run) {
    const char *html = report_of(run);
    if (html)
        ui_reply_text(request, "text/html; charset=utf-8", "report.html", html, strlen(html));
    else
        ui_refuse(request, 500, "the report could not be made");
}
