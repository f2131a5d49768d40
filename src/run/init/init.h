/* init.h - drafting a job: what each column of a table is, and how to treat it.
 *
 * draft.c reads the table and runs the parts in this order: init_profile.c looks at the values of
 * each column, init_name.c cuts its name into words, init_words.c has the words of five languages,
 * init_role.c decides on a role, init_build.c chooses hierarchies and bins, init_unique.c measures
 * how many rows the quasi-identifiers single out, and init_write.c writes the job. */
#ifndef HR_RUN_INIT_H
#define HR_RUN_INIT_H

#include "run/run.h"

/* ---- init_name.c: the words of a column name ---- */

enum { HR_WORDS_MOST = 12, HR_WORD_ROOM = 48, HR_NAME_ROOM = 256 };

/* A name in lower case without accents, cut at separators, capitals and digits; words such as `of`
 * and `de` are left out. */
typedef struct {
    char words[HR_WORDS_MOST][HR_WORD_ROOM];
    size_t count;
    char joined[HR_NAME_ROOM]; /* all words without separators */
} hr_name_words;

/* `skip`: leading bytes that all columns share, as in `iage`, `isex`. */
void hr_name_split(const char *name, size_t skip, hr_name_words *out);
/* Leaves out the e of ae, oe and ue and the second s of ss, which may stand for umlauts and for the
 * German sharp s, in place. */
void hr_name_fold(char *word);
/* Does the name have the word? `pattern` is "word" (one word, or several joined), "word*",
 * "*word" (beginning or end of a word), "*word*" (anywhere) or "=word" (the whole name).
 * Returns the length of the match in letters, 0: none. */
size_t hr_name_match(const hr_name_words *name, const char *pattern);
/* Copies the name without the words that match the list; false: none or all do. */
bool hr_name_without(const hr_name_words *name, const char *list, hr_name_words *out);
/* 1 if nearly all names begin with the same small letter as a prefix (`iage`, `isex`), else 0. */
size_t hr_name_common_letter(const hr_table *table);

/* ---- init_words.c: what names mean ---- */

typedef enum {
    HR_MEANS_NOTHING,
    HR_MEANS_PERSON_NUMBER, /* number of a person, household or stay */
    HR_MEANS_PERSON_NAME,
    HR_MEANS_RELATIVE,  /* father, guardian: a name, or what this person is */
    HR_MEANS_CONTACT,   /* address, phone, coordinates */
    HR_MEANS_FREE_TEXT, /* remarks */
    HR_MEANS_WEIGHTING, /* weights of a survey */
    HR_MEANS_AGE,
    HR_MEANS_SEX,
    HR_MEANS_BIRTH, /* date or year of birth */
    HR_MEANS_POSTAL,
    HR_MEANS_PLACE,
    HR_MEANS_EVENT, /* admission, death, accident: their dates are quasi-identifiers */
    HR_MEANS_TRAIT, /* what others may know about a person: marital status, occupation */
    HR_MEANS_STAY,  /* length of stay */
    HR_MEANS_UNIT,  /* department: sensitive in a hospital, otherwise a trait */
    HR_MEANS_CODE,  /* diagnosis and other codes of a classification */
    HR_MEANS_HEALTH,
    HR_MEANS_MONEY,
    HR_MEANS_SECRET, /* religion, offences, marks, opinions */
    HR_MEANS_COUNT
} hr_meaning;

typedef struct {
    hr_meaning meaning;
    const char *title;    /* "birth date": what the draft says it is */
    const char *patterns; /* separated by blanks */
} hr_concept;

extern const hr_concept hr_concepts[]; /* ends with NULL patterns */
extern const char hr_time_words[], hr_number_words[], hr_person_words[]; /* lists of patterns */

/* Is the text a whole word of some list? */
bool hr_word_known(const char *text);
/* Copies the next pattern of a list and moves on; false at the end. */
bool hr_next_pattern(const char **list, char pattern[HR_WORD_ROOM]);
/* Does one of the patterns match the name? */
bool hr_name_has(const hr_name_words *name, const char *list);
/* Does a word of the name say that the values are dates or parts of them? */
bool hr_name_tells_time(const hr_name_words *name);
/* The concept with the longest match, otherwise one that a word may be a compound of or short for;
 * `except`: a meaning to leave out. NULL: none. */
const hr_concept *hr_concept_find(const hr_name_words *name, hr_meaning except);

/* ---- init_profile.c: the values of a column ---- */

typedef enum { HR_LOOK_TEXT, HR_LOOK_INTEGER, HR_LOOK_DECIMAL, HR_LOOK_DATE } hr_look;

typedef struct {
    const hr_column *column;
    uint64_t *rows_of; /* per code: rows with it */
    bool *is_missing;  /* per code */
    uint64_t rows, missing;
    uint32_t values; /* distinct, without missing ones */
    uint64_t most;   /* rows of the most frequent value */
    uint64_t rare;   /* rows with a value that fewer than k rows have */
    hr_look look;
    const char *date_format; /* of dates; NULL: ISO 8601 */
    bool mixed_dates;        /* texts, most of them dates: in several forms, or not all of them */
    bool has_time;           /* dates have a time of day */
    bool digits;             /* all texts are digits, of the same length, at least 3 */
    bool codes;              /* look like codes of ICD-10 */
    bool decimal_comma;      /* numbers, some with a comma before the decimals */
    bool decimal_point;      /* numbers, some with a point before the decimals */
    char point;              /* the sign that numbers are read with */
    bool bins_fit;           /* numbers that the key `bins` can read */
    bool mail;               /* texts with an @ */
    bool sexes;              /* m, f, w, male, ... */
    bool no_sexes;           /* texts longer than codes, none of them a sex */
    bool yes_no;             /* yes and no, true and false, 0 and 1, in five languages */
    bool thousands;          /* texts such as 1.234,50: numbers with thousands separators */
    bool years;              /* whole numbers, all of them years of our time */
    bool titled;             /* most texts begin with a title: Dr Adler, Frau Weber */
    bool postcodes;          /* British postal codes: LS2 9JT */
    bool clock;              /* times of day: 14:30 */
    uint32_t decimals;       /* most digits after the decimal sign of a number */
    bool answers;            /* agree, disagree, very satisfied, ... */
    bool outcomes;          /* positive and negative, mild and severe, approved and rejected, ... */
    bool full_names;        /* two or more words with capitals each: Anna Adler, ADLER, Anna */
    double least, greatest; /* of numbers; days of dates */
    double mean_length;     /* of texts */
    size_t shortest, longest;
} hr_profile;

/* Texts that stand for a missing value, in the arena of the draft or static. */
enum { HR_TOKENS_MOST = 32 };
typedef struct {
    const char *texts[HR_TOKENS_MOST];
    size_t count;
} hr_tokens;

/* Adds the texts of a column that stand for a missing value: usual ones, and in columns of numbers
 * and dates a few more. */
hr_status hr_profile_tokens(const hr_column *column, hr_tokens *tokens, hr_arena *arena,
                            hr_error *err);
/* Looks at the values of a column, whose numbers have `point` before their decimals. Everything is
 * in the arena. Time: O(rows + bytes). */
hr_status hr_profile_make(const hr_column *column, const hr_tokens *tokens, char point,
                          hr_arena *arena, hr_profile *out, hr_error *err);

/* ---- draft.c: the draft; also hr_job_draft and others of hedgerow.h ---- */

enum { HR_DRAFT_K = 5 };
/* A draft asks for p = 2 only if, in every sensitive attribute, at least this share of the rows
 * lacks the most frequent value. Each class needs such a row, so classes have at most about 1 /
 * share rows on average. */
#define HR_DRAFT_MINOR 0.02

typedef struct {
    hr_name_words words;
    hr_profile profile;
    const hr_concept *concept; /* NULL: the name says nothing */
    hr_role role;
    bool by_user;           /* the caller set the role */
    bool unknown;           /* neither name nor form says what it is */
    const char *reason;     /* why this role */
    const char *hierarchy;  /* of a quasi-identifier, as in a job; NULL: type numeric */
    const char *suggestion; /* a boundary for the comment; NULL: none */
    uint32_t bins;          /* of a sensitive number; 0: none */
    double minor; /* of a sensitive attribute: share of rows without its most frequent value */
    double alone, without; /* rows unique by this column alone; by all other quasi-identifiers */
} hr_draft_part;

struct hr_draft {
    hr_arena arena;
    hr_table *owned;
    const hr_table *table;
    hr_encoding encoding;       /* HR_ENCODING_AUTO: not needed in the job */
    const char *input, *output; /* as the job has them */
    hr_tokens missing;
    char point;           /* decimal sign of the input */
    hr_draft_part *parts; /* one per column */
    hr_draft_column *columns;
    int64_t k, p;
    double unique, kept_unique; /* share of rows; of kept columns NaN unless there are several */
    double read_seconds;
    bool clinical;   /* the table is about patients: departments are sensitive */
    bool medical;    /* it is about health: unknown columns are sensitive */
    size_t repeated; /* column whose values number people with several rows; SIZE_MAX: none */
    char *text;      /* the job */
    hr_draft_figures figures;
};

/* ---- init_role.c ---- */

/* Sets the role and reason of every column that the caller has not set. */
hr_status hr_draft_roles(hr_draft *draft, hr_error *err);

/* ---- init_build.c ---- */

/* Chooses hierarchy, bins and p. */
hr_status hr_draft_build(hr_draft *draft, hr_error *err);

/* ---- init_unique.c ---- */

/* Measures how many rows the quasi-identifiers single out. Time: O(rows x quasi-identifiers). */
hr_status hr_draft_measure(hr_draft *draft, hr_error *err);

/* ---- init_write.c ---- */

/* Writes the job to draft->text. */
hr_status hr_draft_write(hr_draft *draft, hr_error *err);
/* The value of `on_missing` for a column; NULL: the key is not needed. */
const char *hr_draft_on_missing(const hr_draft_part *part);
/* A text in the arena, or NULL with HR_ENOMEM. */
const char *hr_draft_text(hr_draft *draft, hr_error *err, const char *format, ...) HR_PRINTF(3, 4);

#endif
