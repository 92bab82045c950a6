// Addresses of steps: 4, its part 4.3, step 1 in the frame of that: 4.3/1. A part of a tool that is written as steps is a
// path: 1.users.3.job@2 is turn 2 of step job, for item 3 of step users.
export const addressOf = (frame, index, part = '') => `${frame ? `${frame}/` : ''}${index}${part === '' ? '' : `.${part}`}`;

// split is the reverse: { frame, index, part }.
export function split(address) {
  const cut = address.lastIndexOf('/');
  const [, index, part] = /^(\d*)\.?(.*)$/.exec(address.slice(cut + 1));
  return { frame: cut < 0 ? '' : address.slice(0, cut), index: Number(index), part };
}

// outerOf is the execution of which an address is a part; empty for a whole one.
export const outerOf = (address) => /^(.*)[.@][^./@]*$/.exec(address)?.[1] ?? '';

// lastOf is the last name of an address: of an item or a turn its number.
export const lastOf = (address) => /[^./@]*$/.exec(address)[0];
export const isTurn = (address) => /@\d+$/.test(address);

// STEPS is the node that runs the steps of a tool.
export const STEPS = '$steps';

// stepId is the path of ids of a part of steps, by which drawings and breakpoints name the step: users.job.
export const stepId = (part) => part.split('.').map((one) => one.split('@')[0]).filter((id) => id && !/^\d/.test(id)).join('.');

// nodeText names a node; the steps of a tool as a whole are called so.
export const nodeText = (node, part = '') => (node === STEPS ? stepId(part) || 'steps' : node);

// nameOf names a node of a run, also one of another tool.
export const nameOf = ({ tool, node }) => `${tool ? `${tool}:` : ''}${nodeText(node)}`;

// partText names a part: an item by its number, a branch by its name. Of a step it names the items and turns on the way.
export function partText(part, node = '') {
  if (/^\d+$/.test(part)) return `item ${part}`;
  if (node !== STEPS && stepId(part) !== node) return `branch ${part}`;
  const own = stepId(part).split('.').at(-1);
  let step = '';
  const names = part.split('.').map((one) => {
    const [name, turn] = one.split('@');
    const item = /^\d/.test(name);
    step = item ? step : name;
    const of = step === own ? '' : ` of ${step}`;
    return [item && `item ${name}${of}`, turn && `turn ${turn}${of}`].filter(Boolean);
  }).flat();
  return names.join(', ');
}

// isRepeated reports whether a part of a step is an item or a turn, and not the step itself.
export const isRepeated = (part) => /(^|[.@])\d+$/.test(part);
