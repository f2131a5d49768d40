/* cmd_completion.c - `hedgerow completion SHELL`: prints the script that lets a shell complete
 * commands, flags and the words that a flag takes. The script is made from the tables that --help
 * uses. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { FLAGS_MOST = 128, WORDS_MOST = 1024 };

/* What the argument of a flag is completed to; LIST: to words separated by commas. */
typedef enum { NOTHING, WORDS, LIST, FILES, FOLDERS } completion;

/* Prints the commands, flags and words of one shell. */
typedef struct {
    const char *name;
    void (*begin)(void);
    void (*begin_command)(const cli_command *command);
    void (*flag)(const cli_command *command, const cli_shown_flag *flag, completion kind,
                 const char *words);
    void (*end_command)(const cli_command *command);
    void (*end)(void);
} shell;

/* ---- What an argument may be ---- */

/* The names of all algorithms, separated by '|'. */
static void list_algorithms(char *out, size_t room) {
    hr_error err;
    hr_list *list;
    const hr_listed *entry;
    size_t length = 0;
    *out = '\0';
    if (hr_list_new("algorithms", &list, &err) != HR_OK) return;
    for (size_t i = 0; (entry = hr_list_at(list, i)); i++) {
        int more = snprintf(out + length, room - length, "%s%s", i > 0 ? "|" : "", entry->name);
        if (more < 0 || (size_t)more >= room - length) break;
        length += (size_t)more;
    }
    hr_list_free(list);
}

/* Stores the words "a|b" in `out`, of WORDS_MOST bytes, if the kind is WORDS or LIST. */
static completion kind_of(const cli_shown_flag *flag, char *out) {
    const char *argument = flag->argument;
    if (!argument) return NOTHING;
    if (!strcmp(flag->name, "algorithm")) {
        list_algorithms(out, WORDS_MOST);
        return strcmp(argument, "NAMES") ? WORDS : LIST;
    }
    if (!strncmp(argument, "FILE", 4) && !strchr(argument, ':')) return FILES;
    if (!strcmp(argument, "DIR")) return FOLDERS;
    if (!strchr(argument, '|') || strchr(argument, '=')) return NOTHING;
    snprintf(out, WORDS_MOST, "%s", argument);
    return WORDS;
}

static void print_words(const char *words, char between) {
    for (const char *c = words; *c; c++)
        putchar(*c == '|' ? between : *c);
}

static void print_commands(void) {
    for (const cli_command *const *command = cli_commands; *command; command++)
        printf("%s%s", command == cli_commands ? "" : " ", (*command)->name);
}

/* Prints a text for a shell's quotes: characters in `special` get a backslash, and an apostrophe
 * ends and starts the quotes again. */
static void print_quoted(const char *text, const char *special) {
    for (const char *c = text; *c; c++) {
        if (*c == '\'') {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr(special, *c)) putchar('\\');
        putchar(*c);
    }
}

/* ---- bash ---- */

static void bash_begin(void) {
    puts("# bash completion for hedgerow, made by `hedgerow completion bash`\n"
         "_hedgerow() {\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "    local command=${COMP_WORDS[1]} flags='' words='' first='' list=''\n"
         "    COMPREPLY=()\n"
         "    # --flag=value comes as three words.\n"
         "    [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD-2]}\n"
         "    if [ \"$word\" = = ]; then before=${COMP_WORDS[COMP_CWORD-1]}; word=''; fi\n"
         "    if [ \"$COMP_CWORD\" = 1 ]; then");
    fputs("        COMPREPLY=($(compgen -W '", stdout);
    print_commands();
    puts("' -- \"$word\"))\n"
         "        return\n"
         "    fi\n"
         "    case $command in");
}

static void bash_command(const cli_command *command) {
    printf("    %s)\n", command->name);
    if (command->first) {
        fputs("        [ \"$COMP_CWORD\" != 2 ] || first='", stdout);
        print_words(command->first, ' ');
        puts("'");
    }
    puts("        case $before in");
}

static void bash_pattern(const cli_shown_flag *flag) {
    printf("%s%s", flag->name[1] ? "--" : "-", flag->spelled);
    if (flag->letter && flag->name[1]) printf("|-%c", flag->letter);
}

static void bash_flag(const cli_command *command, const cli_shown_flag *flag, completion kind,
                      const char *words) {
    (void)command;
    if (!flag->argument || kind == NOTHING) return;
    fputs("        ", stdout);
    bash_pattern(flag);
    fputs(") ", stdout);
    if (kind == WORDS || kind == LIST) {
        fputs("words='", stdout);
        print_words(words, ' ');
        puts(kind == LIST ? "' list=yes ;;" : "' ;;");
    } else if (kind == FOLDERS)
        puts("COMPREPLY=($(compgen -d -- \"$word\")); return ;;");
    else
        puts("return ;;"); /* the shell completes files by itself */
}

static void bash_end_command(const cli_command *command) {
    cli_shown_flag flags[FLAGS_MOST];
    size_t count = cli_list_flags(command, flags, FLAGS_MOST);
    char words[WORDS_MOST];
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (!flags[i].argument || kind_of(&flags[i], words) != NOTHING) continue;
        fputs(any ? "|" : "        ", stdout);
        bash_pattern(&flags[i]);
        any = true;
    }
    if (any) puts(") compopt +o default 2>/dev/null; return ;;");
    fputs("        esac\n        flags='", stdout);
    for (size_t i = 0; i < count; i++)
        printf("%s%s%s", i > 0 ? " " : "", flags[i].name[1] ? "--" : "-", flags[i].spelled);
    puts("' ;;");
}

static void bash_end(void) {
    puts("    esac\n"
         "    if [ -n \"$list\" ] && [[ $word == *,* ]]; then\n"
         "        words=$(printf \"${word%,*},%s \" $words)\n"
         "    fi\n"
         "    if [ -n \"$words\" ]; then\n"
         "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "    elif [[ $word == -* ]]; then\n"
         "        COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
         "    elif [ -n \"$first\" ]; then\n"
         "        COMPREPLY=($(compgen -W \"$first\" -- \"$word\"))\n"
         "    fi\n"
         "}\n"
         "complete -o default -F _hedgerow hedgerow");
}

/* ---- zsh ---- */

static void zsh_begin(void) {
    puts("#compdef hedgerow\n"
         "# zsh completion for hedgerow, made by `hedgerow completion zsh`\n"
         "_hedgerow() {\n"
         "    local -a commands arguments\n"
         "    commands=(");
    for (const cli_command *const *command = cli_commands; *command; command++) {
        printf("        '%s:", (*command)->name);
        print_quoted((*command)->summary, ":");
        puts("'");
    }
    puts("    )\n"
         "    if (( CURRENT == 2 )); then\n"
         "        _describe command commands\n"
         "        return\n"
         "    fi\n"
         "    case $words[2] in");
}

static void zsh_command(const cli_command *command) {
    printf("    %s)\n        arguments=(\n", command->name);
    if (command->first) {
        fputs("            '1:what:(", stdout);
        print_words(command->first, ' ');
        puts(")'");
    }
    puts("            '*:file:_files'");
}

/* --flag[help]:argument:completion, and once more for the letter. */
static void zsh_flag(const cli_command *command, const cli_shown_flag *flag, completion kind,
                     const char *words) {
    (void)command;
    for (int brief = 0; brief < 2; brief++) {
        if (brief ? !flag->letter : !flag->name[1]) continue;
        if (brief)
            printf("            '*-%c[", flag->letter);
        else
            printf("            '*--%s%s[", flag->spelled, flag->argument ? "=" : "");
        print_quoted(flag->help, "[]:\\");
        putchar(']');
        if (flag->argument) {
            putchar(':');
            print_quoted(flag->argument, ":\\");
            putchar(':');
        }
        if (kind == WORDS) {
            putchar('(');
            print_words(words, ' ');
            putchar(')');
        } else if (kind == LIST) {
            fputs("_values -s , name ", stdout);
            print_words(words, ' ');
        } else if (kind == FILES)
            fputs("_files", stdout);
        else if (kind == FOLDERS)
            fputs("_files -/", stdout);
        puts("'");
    }
}

static void zsh_end_command(const cli_command *command) {
    (void)command;
    puts("        ) ;;");
}

static void zsh_end(void) {
    puts("    *) return 1 ;;\n"
         "    esac\n"
         "    shift words\n"
         "    (( CURRENT-- ))\n"
         "    _arguments -s $arguments\n"
         "}\n"
         "if [ \"$funcstack[1]\" = _hedgerow ]; then _hedgerow \"$@\"; else compdef _hedgerow "
         "hedgerow; fi");
}

/* ---- fish ---- */

static void fish_begin(void) {
    puts("# fish completion for hedgerow, made by `hedgerow completion fish`");
    for (const cli_command *const *command = cli_commands; *command; command++) {
        printf("complete -c hedgerow -f -n __fish_use_subcommand -a %s -d '", (*command)->name);
        print_quoted((*command)->summary, "\\");
        puts("'");
    }
}

static void fish_command(const cli_command *command) {
    if (!command->first) return;
    printf("complete -c hedgerow -n '__fish_seen_subcommand_from %s' -a '", command->name);
    print_words(command->first, ' ');
    puts("'");
}

static void fish_flag(const cli_command *command, const cli_shown_flag *flag, completion kind,
                      const char *words) {
    printf("complete -c hedgerow -n '__fish_seen_subcommand_from %s'", command->name);
    if (flag->name[1]) printf(" -l %s", flag->spelled);
    if (flag->letter || !flag->name[1])
        printf(" -s %c", flag->letter ? flag->letter : flag->name[0]);
    if (kind == FILES || kind == FOLDERS)
        fputs(" -r -F", stdout);
    else if (flag->argument)
        fputs(" -x", stdout);
    else
        fputs(" -f", stdout);
    if (kind == WORDS || kind == LIST) {
        fputs(kind == LIST ? " -a '(__fish_append , " : " -a '", stdout);
        print_words(words, ' ');
        fputs(kind == LIST ? ")'" : "'", stdout);
    }
    fputs(" -d '", stdout);
    /* fish reads \' inside of quotes, so an apostrophe is written like every other special
     * character. */
    for (const char *c = flag->help; *c; c++) {
        if (*c == '\'' || *c == '\\') putchar('\\');
        putchar(*c);
    }
    puts("'");
}

static void nothing(void) {}
static void nothing_of(const cli_command *command) {
    (void)command;
}

/* ---- The command ---- */

static const shell shells[] = {
    {"bash", bash_begin, bash_command, bash_flag, bash_end_command, bash_end},
    {"zsh", zsh_begin, zsh_command, zsh_flag, zsh_end_command, zsh_end},
    {"fish", fish_begin, fish_command, fish_flag, nothing_of, nothing},
};

static void print_script(const shell *to) {
    cli_shown_flag flags[FLAGS_MOST];
    char words[WORDS_MOST];
    to->begin();
    for (const cli_command *const *command = cli_commands; *command; command++) {
        size_t count = cli_list_flags(*command, flags, FLAGS_MOST);
        to->begin_command(*command);
        for (size_t i = 0; i < count; i++)
            to->flag(*command, &flags[i], kind_of(&flags[i], words), words);
        to->end_command(*command);
    }
    to->end();
}

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (!strcmp(arguments->words[0], shells[i].name)) {
            print_script(&shells[i]);
            return HR_OK;
        }
    return hr_fail(err, HR_EINVAL, "there are completions for bash, zsh and fish, not for '%s'",
                   arguments->words[0]);
}

const cli_command cmd_completion = {
    .name = "completion",
    .summary = "print a script that lets your shell complete commands and flags",
    .usage = "bash|zsh|fish",
    .about = "Prints a script for your shell. `make install` puts it where the shell finds\n"
             "it; without that, in bash: `source <(hedgerow completion bash)`",
    .example = "source <(hedgerow completion bash)",
    .first = "bash|zsh|fish",
    .least = 1,
    .most = 1,
    .job_at = -1,
    .run = run,
};
