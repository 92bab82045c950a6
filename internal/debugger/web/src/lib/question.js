// A question whether calls may be made: its title names the call, and of its message, which names it again for clients and terminals,
// the page shows the lines between the first and the last: the arguments.
export const titleOf = ({ server, tool, calls }) => [calls > 1 ? `Allow ${calls} calls of ` : 'Allow the call of ', `${server}.${tool}`, '?'];
export const argumentsOf = (message) => message.split('\n').slice(1, -1).join('\n').replace(/^Arguments: /, '');

// isWhole reports whether a message has all arguments of all calls. Each is an object; what is truncated says so at its end.
export const isWhole = ({ message, confirms }) => {
  const lines = argumentsOf(message).split('\n');
  return lines.length === confirms.calls && lines.every((line) => line.endsWith('}'));
};

export const effects = { read: 'it changes nothing', write: 'it adds or changes something', destroy: 'it removes or overwrites something' };
export const unknownEffect = 'it may remove or overwrite something';
