// Addresses of steps: 4, its part 4.3, step 1 in the frame of that: 4.3/1.
export const addressOf = (frame, index, part = '') => `${frame ? `${frame}/` : ''}${index}${part === '' ? '' : `.${part}`}`;

// split is the reverse: { frame, index, part }.
export function split(address) {
  const cut = address.lastIndexOf('/');
  const [index, part = ''] = address.slice(cut + 1).split('.');
  return { frame: cut < 0 ? '' : address.slice(0, cut), index: Number(index), part };
}

// partText names a part: an item by its number, a branch by its name.
export const partText = (part) => (/^\d+$/.test(part) ? `item ${part}` : `branch ${part}`);
