/* page.h - pages for people: one HTML file each, without scripts, which loads nothing and prints on
 * A4. page.c writes the frame that all pages have and the two reports of a release; the parts of
 * these are in page_verdict.c, page_attributes.c, page_classes.c and page_method.c. */
#ifndef HR_PAGE_H
#define HR_PAGE_H

#include "report/account.h"
#include "report/chart.h"

/* ---- page.c ---- */

/* Begins a page: head with the style sheet, heading, and a line below it, which are escaped. */
void hr_page_open(const char *title, const char *below, hr_text *out);
void hr_page_close(hr_text *out);

/* The owner's report, and the report that may be published beside the release: apart from the loss,
 * nothing in the latter depends on suppressed rows or on originals. `digest` is the hash of the
 * release. */
void hr_page_report(const hr_account *account, const hr_lost *lost, const char *digest,
                    hr_text *out);
void hr_page_public(const hr_account *account, const char *digest, hr_text *out);
/* The charts of the report without a page around them, for pages of other programs; with the style
 * sheet if `style`. */
void hr_page_part(const hr_account *account, bool style, hr_text *out);

/* ---- parts ---- */

/* "12.3 %"; shares that are almost nothing or almost all do not become "0 %" or "100 %". */
void hr_page_share(double share, hr_text *out);
/* "1 row", "2,345 rows"; `many` NULL: with an s. */
void hr_page_count(uint64_t count, const char *one, const char *many, hr_text *out);
/* The word for what k counts, singular if `one`: "row" and "rows", or with `unit` "person" and
 * "people". */
const char *hr_page_counted(const hr_account *account, bool one);
/* Opens and closes a figure with its caption. `name`: a heading above it; NULL: none. */
void hr_page_figure(const char *name, hr_text *out);
void hr_page_caption(const char *caption, hr_text *out);
/* Begins a row of a table, about a column, or a pair of them if `other` is not NULL. */
void hr_page_row(const char *column, const char *other, hr_text *out);

void hr_page_verdict(const hr_account *account, hr_text *out);
void hr_page_public_verdict(const hr_account *account, hr_text *out);
/* How precisely each attribute is published; with `owner`, also for the original. */
void hr_page_precision(const hr_account *account, bool owner, hr_text *out);
/* Each attribute before and after, and its tree. */
void hr_page_attributes(const hr_account *account, hr_text *out);
void hr_page_sizes(const hr_account *account, hr_text *out);
void hr_page_worst(const hr_account *account, hr_text *out);
void hr_page_risk(const hr_account *account, bool owner, hr_text *out);
void hr_page_lost(const hr_account *account, const hr_lost *lost, hr_text *out);
void hr_page_utility(const hr_account *account, hr_text *out);
void hr_page_warnings(const hr_account *account, hr_text *out);
void hr_page_promises(hr_text *out);
void hr_page_words(const hr_account *account, bool owner, hr_text *out);
/* How the release was made; with `owner`, also how to make it again. */
void hr_page_method(const hr_account *account, bool owner, const char *digest, hr_text *out);

#endif
