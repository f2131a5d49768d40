/* test_chart.c - charts: properties of good ticks, and drawings parsed from the SVG. */
#include "report/chart.h"

#include "unit.h"

#include <math.h>

/* ---- Ticks ---- */

/* Is it 1, 2 or 5 times a power of ten? */
static bool is_round(double value) {
    double power = pow(10, floor(log10(value) + 1e-9)), factor = value / power;
    return fabs(factor - 1) < 1e-6 || fabs(factor - 2) < 1e-6 || fabs(factor - 5) < 1e-6;
}

static void check_texts_differ(const double *ticks, size_t count) {
    for (size_t i = 1; i < count; i++) {
        hr_text a = {0}, b = {0};
        hr_tick_text(ticks[i - 1], &a);
        hr_tick_text(ticks[i], &b);
        assert_string_not_equal(a.data, b.data);
        hr_text_free(&a);
        hr_text_free(&b);
    }
}

static void test_linear_ticks(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 1, 0);
    for (int trial = 0; trial < 20000; trial++) {
        double scale = pow(10, (double)below(&random, 17) - 6);
        double least = below(&random, 2) ? 0 : scale * hr_random_real(&random);
        double most = least + scale * hr_random_real(&random);
        hr_chart_axis axis = {.least = least, .most = most, .whole = below(&random, 2)};
        double ticks[HR_TICKS_MOST];
        unsigned wanted = 3 + below(&random, 5);
        size_t count = hr_ticks(&axis, wanted, ticks);
        assert_in_range(count, 2, wanted + 2);
        assert_true(ticks[0] <= least + 1e-6 * scale && ticks[count - 1] >= most - 1e-6 * scale);
        double step = ticks[1] - ticks[0];
        assert_true(is_round(step));
        if (axis.whole) near(step, round(step));
        /* The first and the last tick are needed to enclose the range. */
        assert_true(ticks[1] > least || count == 2);
        assert_true(ticks[count - 2] < most || count == 2);
        for (size_t i = 2; i < count; i++)
            assert_true(fabs(ticks[i] - ticks[i - 1] - step) < 1e-6 * step);
        assert_true(axis.least == ticks[0] && axis.most == ticks[count - 1]);
        if (least == 0) check_texts_differ(ticks, count);
    }
}

static void test_power_ticks(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 2, 0);
    for (int trial = 0; trial < 20000; trial++) {
        double least = pow(10, 12 * hr_random_real(&random) - 6);
        double most = least * pow(10, 9 * hr_random_real(&random));
        hr_chart_axis axis = {.least = least, .most = most, .logarithmic = true};
        double ticks[HR_TICKS_MOST];
        size_t count = hr_ticks(&axis, 6, ticks);
        assert_in_range(count, 2, 10);
        assert_true(ticks[0] <= least * (1 + 1e-6) && ticks[count - 1] >= most * (1 - 1e-6));
        for (size_t i = 0; i < count; i++) {
            assert_true(is_round(ticks[i]));
            assert_true(i == 0 || ticks[i] > ticks[i - 1]);
        }
    }
}

static void check_text(double value, const char *expected) {
    hr_text text = {0};
    hr_tick_text(value, &text);
    assert_string_equal(text.data, expected);
    hr_text_free(&text);
}

static void test_tick_text(void **state) {
    (void)state;
    check_text(0, "0");
    check_text(3 * 0.1, "0.3");
    check_text(0.001, "0.001");
    check_text(0.0005, "5e-4");
    check_text(3 * 0.00005, "1.5e-4");
    check_text(5000, "5000");
    check_text(10000, "10k");
    check_text(12500, "12.5k");
    check_text(1e6, "1M");
    check_text(2.5e9, "2.5G");
    check_text(3e12, "3T");
}

/* ---- Drawings ---- */

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (const char *c = text; (c = strstr(c, part)); c++)
        count++;
    return count;
}

static void test_svg(void **state) {
    (void)state;
    const hr_point whole[] = {
        {1, 0.2, "<a> & \"b\"", false, 0}, {2, 0.4, NULL, true, 0}, {3, 0.9, NULL, false, 0}};
    const hr_point broken[] = {
        {1, 0.1, NULL, false, 0}, {2, NAN, NULL, false, 0}, {3, 0.3, NULL, false, 0}};
    const hr_point bound[] = {{1, 0.05, NULL, false, 0}, {3, 0.06, NULL, false, 0}};
    const hr_series series[] = {{0, whole, 3}, {1, broken, 3}, {-1, bound, 2}};
    hr_chart chart = {.name = "k < 3",
                      .x = {.label = "p", .least = 1, .most = 3, .whole = true},
                      .y = {.label = "loss", .most = 0.9},
                      .series = series,
                      .series_count = 3};
    hr_text svg = {0};
    hr_chart_svg(&chart, &svg);
    assert_false(svg.failed);
    assert_int_equal(count_of(svg.data, "<path class=\"line"), 3);
    assert_int_equal(count_of(svg.data, "<path class=\"mark s0"), 3);
    assert_int_equal(count_of(svg.data, "<path class=\"mark s1"), 2);
    assert_int_equal(count_of(svg.data, " best\""), 1);
    assert_non_null(strstr(svg.data, "<title>&lt;a&gt; &amp; &quot;b&quot;</title>"));
    assert_non_null(strstr(svg.data, "aria-label=\"k &lt; 3\""));
    assert_null(strstr(svg.data, "nan"));
    /* An interrupted line has two starts and does not cross the gap. */
    const char *line = strstr(svg.data, "line s1");
    size_t length = strcspn(strstr(line, " d=\"") + 4, "\"");
    char *path = hr_copy_text(strstr(line, " d=\"") + 4, length, NULL);
    assert_int_equal(count_of(path, "M"), 2);
    assert_int_equal(count_of(path, "L"), 0);
    free(path);
    hr_text_free(&svg);
}

/* A single value has one tick, in the middle, and a bound at it is visible. */
static void test_one_place(void **state) {
    (void)state;
    const hr_point point = {3, 0.2, NULL, false, 0}, least = {3, 0.1, NULL, false, 0};
    const hr_series series[] = {{0, &point, 1}, {-1, &least, 1}, {-2, &least, 0}};
    hr_chart chart = {.name = "",
                      .x = {.label = "p", .least = 3, .most = 3, .whole = true},
                      .y = {.label = "loss", .most = 0.2},
                      .series = series,
                      .series_count = 3};
    hr_text svg = {0};
    hr_chart_svg(&chart, &svg);
    double middle, y, from, to, expected = (58 + 380 - 8) / 2.0;
    assert_int_equal(count_of(svg.data, ">3</text>"), 1);
    assert_int_equal(count_of(svg.data, ">4</text>"), 0);
    assert_int_equal(count_of(svg.data, "line bound"), 1); /* an empty series is not drawn */
    const char *line = strstr(strstr(svg.data, "line s0\""), " d=\"");
    assert_int_equal(sscanf(line, " d=\"M%lf %lf", &middle, &y), 2);
    line = strstr(svg.data, "line bound\"");
    assert_int_equal(sscanf(line, "line bound\" d=\"M%lf %lfH%lf", &from, &y, &to), 3);
    assert_true(fabs(middle - expected) < 0.11 && fabs((from + to) / 2 - expected) < 0.11);
    assert_true(to - from > 10 && fabs(y - (12 + 208) / 2.0) < 0.11);
    assert_null(strstr(svg.data, "nan"));
    hr_text_free(&svg);
}

/* Any two styles differ in colour, dash or marker. */
static void test_styles(void **state) {
    (void)state;
    hr_text samples[HR_CHART_STYLES] = {{0}};
    for (int i = 0; i < HR_CHART_STYLES; i++) {
        hr_chart_sample(i, &samples[i]);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(samples[i].data, samples[j].data);
    }
    for (int i = 0; i < HR_CHART_STYLES; i++)
        hr_text_free(&samples[i]);
}

/* Every mark lies within the axes, and higher values are drawn higher. */
static void test_places(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 3, 0);
    for (int trial = 0; trial < 500; trial++) {
        hr_point points[5];
        double most = 0;
        for (size_t i = 0; i < 5; i++) {
            points[i] = (hr_point){.x = (double)i + 1, .y = 1e5 * hr_random_real(&random) + 1};
            most = fmax(most, points[i].y);
        }
        hr_series series = {5, points, 5};
        bool logarithmic = below(&random, 2);
        hr_chart chart = {
            .name = "",
            .x = {.label = "", .least = 1, .most = 5},
            .y = {.label = "", .least = logarithmic, .most = most, .logarithmic = logarithmic},
            .series = &series,
            .series_count = 1};
        hr_text svg = {0};
        hr_chart_svg(&chart, &svg);
        const char *at = strstr(svg.data, "line s5");
        at = strstr(at, " d=\"") + 4;
        double x[5], y[5];
        for (size_t i = 0; i < 5; i++) {
            int used = 0;
            assert_int_equal(sscanf(at, "%*c%lf %lf%n", &x[i], &y[i], &used), 2);
            at += used;
            assert_true(x[i] > 58 && x[i] < 380 && y[i] >= 11.9 && y[i] <= 208.1);
            if (i > 0) assert_true(x[i] > x[i - 1]);
        }
        for (size_t i = 0; i < 5; i++)
            for (size_t j = 0; j < 5; j++)
                if (points[i].y > points[j].y) assert_true(y[i] <= y[j]);
        hr_text_free(&svg);
    }
}

/* Labels of ticks at the end of the axis stay within the chart. */
static void test_histogram_ticks(void **state) {
    (void)state;
    const double ends[] = {1, 99950, 99999.5, 100000, 1e9};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        hr_bin bins[2] = {{.to = ends[i] / 2, .after = 1}, {.from = ends[i] / 2, .after = 1}};
        bins[1].to = ends[i];
        hr_histogram histogram = {
            .name = "", .x_label = "", .y_label = "", .bins = bins, .count = 2};
        hr_text svg = {0};
        hr_histogram_svg(&histogram, &svg);
        size_t labels = 0;
        for (const char *at = svg.data; (at = strstr(at, "/><text x=")); at++) {
            double x;
            char label[32];
            if (sscanf(at, "/><text x=\"%lf\" y=\"%*[^>]>%31[^<]<", &x, label) != 2) continue;
            assert_true(x + hr_label_width(label) / 2 <= HR_CHART_WIDTH + 0.1);
            labels++;
        }
        assert_true(labels >= 3);
        hr_text_free(&svg);
    }
}

/* A few cuts are lines; many are short, and do not hide the columns. */
static void test_cuts(void **state) {
    (void)state;
    double cuts[5000];
    hr_bin bin = {.to = 5001, .after = 0.5};
    hr_histogram histogram = {
        .name = "", .x_label = "", .y_label = "", .bins = &bin, .count = 1, .cuts = cuts};
    for (histogram.cut_count = 1; histogram.cut_count < 5000; histogram.cut_count *= 3) {
        hr_text svg = {0};
        for (size_t i = 0; i < histogram.cut_count; i++)
            cuts[i] = 5000.0 * (double)i / (double)histogram.cut_count + 1;
        hr_histogram_svg(&histogram, &svg);
        size_t lines = count_of(svg.data, "\"boundary\""), shorts = count_of(svg.data, "diamond");
        assert_int_equal(lines, histogram.cut_count <= 12 ? histogram.cut_count : 0);
        assert_true(histogram.cut_count <= 12 ? shorts == 0 : shorts > 12 && shorts < 120);
        hr_text_free(&svg);
    }
}

/* Texts cannot end an element, and cannot turn the direction of the text around them. */
static void test_escapes(void **state) {
    (void)state;
    static const char *const texts[][2] = {
        {"<a href=\"x\">&", "&lt;a href=&quot;x&quot;&gt;&amp;"},
        {"\xe2\x80\xaetxt.exe", "?txt.exe"},
        {"a\xe2\x81\xa6z\xe2\x80\xaa", "a?z?"},
        {"\xe2\x80\xa6 \xe2\x81\xaa", "\xe2\x80\xa6 \xe2\x81\xaa"},
        {"\xd7\xa9\xc2\x85\x7f", "\xd7\xa9??"},
        {"\xe2\x80", "??"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hr_text out = {0};
        hr_html_text(&out, texts[i][0]);
        assert_string_equal(out.data, texts[i][1]);
        hr_text_free(&out);
    }
}

/* A label that does not fit keeps both ends, or its beginning where there is little room, and whole
 * characters. */
static void test_labels(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double width;
        const char *label;
    } cases[] = {{"Medicaid", 200, "Medicaid"},
                 {"a very long value number 1", 100, "a very lo…er 1"},
                 {"a very long value number 2", 100, "a very lo…er 2"},
                 {"a very long value number 1", 50, "a very…"},
                 {"\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc", 90,
                  "\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc…\u00e4\u00f6\u00fc"},
                 {"<b>&<b>&<b>&<b>&<b>&", 90, "&lt;b&gt;&amp;&lt;b…b&gt;&amp;"},
                 {"text", 3, "…"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_text out = {0};
        hr_label(&out, cases[i].text, cases[i].width);
        assert_string_equal(out.data, cases[i].label);
        hr_text_free(&out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_ticks), cmocka_unit_test(test_power_ticks),
        cmocka_unit_test(test_tick_text),    cmocka_unit_test(test_svg),
        cmocka_unit_test(test_styles),       cmocka_unit_test(test_places),
        cmocka_unit_test(test_one_place),    cmocka_unit_test(test_histogram_ticks),
        cmocka_unit_test(test_cuts),         cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
