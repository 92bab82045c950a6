#!/bin/sh
# Makes files with a program, for later programs to read: make.sh PROGRAM DIRECTORY. PROGRAM is called toolgraph, and is built
# from the commit before the one that changes a format:
#   git worktree add old COMMIT && (cd old && go build -o /tmp/old/toolgraph .)
#   tests/upgrade/testdata/make.sh /tmp/old/toolgraph tests/upgrade/testdata/VERSION
# Needs Linux or macOS. With POSTGRES=URL of an empty database, the runs are recorded there as well, and dumped by pg_dump. What
# was made is not changed later.
set -eu
program=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
work=$home/work
mkdir "$work"
cp "$here"/graph/* "$work"/
cd "$work"
export HOME="$home" XDG_CONFIG_HOME="$home/.config" TOOLGRAPH_STATE="$home/state" PATH="$(dirname "$program"):$PATH"

toolgraph version > "$out/version.txt"
toolgraph init started.yaml > /dev/null
toolgraph lock shop.yaml > /dev/null 2>&1
toolgraph test shop.yaml --record --update > /dev/null

# record makes the runs of a store: one that finished, one that failed, one in which the process died during a call, and one in which it died
# while its user was asked. Then it lists them, once the dead processes are known to be dead.
die() {
  kill -9 "$1"
  wait "$1" 2> /dev/null || true
}
record() {
  toolgraph run shop.yaml files directory=. --allow-exec > /dev/null
  toolgraph run shop.yaml files directory=gone --allow-exec > /dev/null 2>&1 || true
  toolgraph run shop.yaml order id=17 --allow-exec > /dev/null 2>&1 &
  until toolgraph runs list --status running --json 2> /dev/null | grep -q '"order"'; do sleep 0.1; done
  sleep 1 # the call is in flight
  die $!
  mkfifo in
  sleep 30 > in &
  sleeper=$!
  toolgraph serve shop.yaml --allow-exec < in > asked 2> /dev/null &
  server=$!
  {
    echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"make","version":"1"}}}'
    echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"agree","arguments":{"what":"tea"},"_meta":{"toolgraph/key":"tea-1"}}}'
  } > in
  until grep -q elicitation/create asked; do sleep 0.1; done
  die $server
  kill $sleeper
  rm in asked
  until [ "$(toolgraph runs list --status interrupted --json | grep -c '"id"')" = 2 ]; do sleep 1; done
  toolgraph runs list --json > "$1"
}

record "$out/runs.json"
toolgraph runs export "$(sed -n 's/.*"id": "\([^"]*\)".*/\1/p' "$out/runs.json" | tail -n 1)" > "$out/exported.json"
if [ -n "${POSTGRES:-}" ]; then
  export TOOLGRAPH_STATE="$POSTGRES"
  record "$out/postgres-runs.json"
  pg_dump --inserts --no-owner --no-privileges "$POSTGRES" | grep -v '^\\\|^--\|^$' | sed "s/$(hostname)/host/g" > "$out/postgres.sql"
  export TOOLGRAPH_STATE="$home/state"
fi

# The audit log, the registry, and the entries of hosts.
toolgraph run shop.yaml files directory=. --allow-exec --audit audit.jsonl --no-history > /dev/null
toolgraph mcp add files --env REGION=eu -- toolgraph demo-server . > /dev/null 2>&1
for host in claude-desktop claude-code cursor vscode codex gemini opencode zed windsurf goose cline roo amp lm-studio copilot-cli kiro continue qwen; do
  toolgraph config "$host" started.yaml --write > /dev/null 2>&1 || true # which this program may not know
done
rm -f "$home/state/reserve" audit.jsonl.lock toolgraph.schema.json
cp -R "$home/state" "$out/state"
cp "$home/.config/toolgraph/servers.json" "$out/servers.json"
cp -R "$work" "$out/work"
mkdir -p "$out/home"
(cd "$home" && find . -type f \( -name '*.json' -o -name '*.toml' -o -name '*.yaml' \) ! -path "./${work##*/}/*" ! -path './state/*' ! -path './.config/toolgraph/*' |
  while read -r file; do mkdir -p "$out/home/$(dirname "$file")" && sed "s|$home|HOME|g; s|$(dirname "$program")|PROGRAMS|g" "$file" > "$out/home/$file"; done)
