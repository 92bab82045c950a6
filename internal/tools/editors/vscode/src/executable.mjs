// The toolgraph executable, as an absolute path.
import { statSync } from 'node:fs';
import path from 'node:path';

const isFile = (file) => {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
};

// findExecutable returns the path of the setting, or the executable that PATH has. It never looks into the current
// directory, as the starting of a program by its name does on Windows: a folder that was opened must not decide what is
// started. Nothing is found: an error with the remedy.
export function findExecutable(setting, { env = process.env, platform = process.platform, exists = isFile } = {}) {
  const { isAbsolute, join, delimiter } = platform === 'win32' ? path.win32 : path.posix;
  if (setting) {
    if (!isAbsolute(setting)) throw new Error(`toolgraph.path is ${JSON.stringify(setting)}, expected an absolute path`);
    if (!exists(setting)) throw new Error(`toolgraph.path names ${setting}, which does not exist`);
    return setting;
  }
  const name = platform === 'win32' ? 'toolgraph.exe' : 'toolgraph';
  const search = Object.entries(env).find(([key]) => (platform === 'win32' ? key.toUpperCase() : key) === 'PATH')?.[1] ?? '';
  const found = search.split(delimiter).filter(isAbsolute).map((directory) => join(directory, name)).find(exists);
  if (!found) throw new Error(`${name} is not in PATH; install it, or set toolgraph.path to it`);
  return found;
}
