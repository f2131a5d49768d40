/* ui_page.c - the files of the page, which the build embeds (page/). */
#include "ui/ui_http.h"

#include <event2/buffer.h>
#include <stdio.h>
#include <string.h>

#define FILE_OF_PAGE(symbol)                                                                       \
    extern const char symbol[];                                                                    \
    extern const size_t symbol##_size;
FILE_OF_PAGE(ui_page_index_html)
FILE_OF_PAGE(ui_page_page_css)
FILE_OF_PAGE(ui_page_icon_svg)
FILE_OF_PAGE(ui_page_main_js)
FILE_OF_PAGE(ui_page_server_js)
FILE_OF_PAGE(ui_page_dom_js)
FILE_OF_PAGE(ui_page_tree_js)
FILE_OF_PAGE(ui_page_icicle_js)
FILE_OF_PAGE(ui_page_boundaries_js)
FILE_OF_PAGE(ui_page_price_js)
FILE_OF_PAGE(ui_page_open_js)
FILE_OF_PAGE(ui_page_columns_js)
FILE_OF_PAGE(ui_page_job_js)
FILE_OF_PAGE(ui_page_run_js)
FILE_OF_PAGE(ui_page_compare_js)
FILE_OF_PAGE(ui_page_chart_js)

typedef struct {
    const char *path, *type, *bytes;
    const size_t *size;
} page_file;

static const char html[] = "text/html; charset=utf-8", css[] = "text/css; charset=utf-8",
                  script[] = "text/javascript; charset=utf-8", svg[] = "image/svg+xml";

#define FILE_AT(path, type, symbol)                                                                \
    { path, type, symbol, &symbol##_size }
static const page_file files[] = {
    FILE_AT("/", html, ui_page_index_html),
    FILE_AT("/page.css", css, ui_page_page_css),
    FILE_AT("/icon.svg", svg, ui_page_icon_svg),
    FILE_AT("/main.js", script, ui_page_main_js),
    FILE_AT("/server.js", script, ui_page_server_js),
    FILE_AT("/dom.js", script, ui_page_dom_js),
    FILE_AT("/tree.js", script, ui_page_tree_js),
    FILE_AT("/icicle.js", script, ui_page_icicle_js),
    FILE_AT("/boundaries.js", script, ui_page_boundaries_js),
    FILE_AT("/price.js", script, ui_page_price_js),
    FILE_AT("/open.js", script, ui_page_open_js),
    FILE_AT("/columns.js", script, ui_page_columns_js),
    FILE_AT("/job.js", script, ui_page_job_js),
    FILE_AT("/run.js", script, ui_page_run_js),
    FILE_AT("/compare.js", script, ui_page_compare_js),
    FILE_AT("/chart.js", script, ui_page_chart_js),
};

bool ui_page_reply(struct evhttp_request *request, const char *path) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcmp(files[i].path, path)) {
            ui_reply_text(request, files[i].type, NULL, files[i].bytes, *files[i].size);
            return true;
        }
    return false;
}

void ui_page_words(struct evhttp_request *request, int code, const char *title, const char *words) {
    struct evbuffer *buffer = evbuffer_new();
    if (buffer)
        evbuffer_add_printf(buffer,
                            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
                            "<title>%s</title><h1>%s</h1><p>%s</p></html>\n",
                            title, title, words);
    evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Type", html);
    evhttp_send_reply(request, code, title, buffer);
    if (buffer) evbuffer_free(buffer);
}
