// How wide a text is. The font has one width for all letters where it can; without a browser, as in
// tests of the layout, that width is assumed.
const FONT = 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace';
const pen = globalThis.document?.createElement('canvas').getContext('2d');

export function widthOf(text, size, weight = 500) {
  if (!pen) return [...text].length * size * 0.602;
  pen.font = `${weight} ${size}px ${FONT}`;
  return pen.measureText(text).width;
}
