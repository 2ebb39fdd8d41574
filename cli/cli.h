/* SPDX-License-Identifier: MIT
 *
 * The command: one function for each word after `quickstep`.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

enum { EXIT_USAGE = 2 }; /* bad option or value; said in one line on stderr */

/* argv[0] is the name to use in messages; returns the exit status. */
typedef int cli_command(int argc, char **argv);

cli_command cli_cpu, cli_selftest, cli_random, cli_bench;

/* For a command without options: 0, or EXIT_USAGE when there are any; -1 when --help was asked for and has been
 * printed. */
int cli_no_options(int argc, char **argv, const char *help);

#endif
