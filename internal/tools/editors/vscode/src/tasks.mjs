// What the commands start, as arguments of toolgraph. The file comes from a code lens or from the active editor.

// problemOf says what is wrong with what the user has typed; undefined: it is a JSON object.
export function problemOf(typed) {
  try {
    const value = JSON.parse(typed);
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? undefined : `found ${typed.trim()}, expected a JSON object`;
  } catch (error) {
    return `not JSON: ${error.message}`;
  }
}

export const runOf = (file, tool, args) => ['run', file, tool, '--args', args];
export const debugOf = (file) => ['ui', file];
// A test file is given as it is; of a graph file, the tests beside it or in it are run. The name of one test is a
// regular expression of toolgraph test, so its special characters are escaped.
export const testOf = (file, test) => (test === undefined
  ? ['test', file, '-v']
  : ['test', file, '--run', `^${test.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(/|$)`, '-v']);
