#!/usr/bin/env node
// Starts the executable of this system, which is in an optional dependency of this package. The
// streams are its own, signals reach it, and its end is the end of this process.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { name, version } = require("./package.json");

const own = `${name}-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${own}/toolgraph${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(
    `toolgraph: the package ${own}@${version} is not installed; it is an optional dependency of ${name}. ` +
      "Install without --omit=optional (--no-optional), on the system on which it runs; " +
      "there are packages for Linux, macOS and Windows, each for x64 and arm64.",
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
for (const signal of signals) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`toolgraph: cannot start ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  for (const s of signals) process.removeAllListeners(s);
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(128 + constants.signals[signal]), 1000); // where a signal ends no process
});
