#!/bin/sh
# Makes the transcripts with a program: make.sh PROGRAM. PROGRAM is built from the commit before the one that brought tasks:
#   git worktree add old $(git log --format=%H --diff-filter=A -- internal/serving/server/tasks.go)^ && (cd old && go build -o toolgraph .)
#   tests/wire/testdata/make.sh $PWD/old/toolgraph
# What was made is not changed later.
set -eu
cd "$(dirname "$0")/.."
TOOLGRAPH_WIRE="$1" go test -count=1 .
