// The outline of a node by its kind, around the middle (0, 0).
export const SLANT = 20; // of a switch's sides

export function outline(type, width, height) {
  const w = width / 2;
  const h = height / 2;
  switch (type) {
    case 'entry':
    case 'exit':
      return round(w, h, h);
    case 'switch': // a hexagon: a diamond with room for words
      return `M${-w} 0 ${-w + SLANT} ${-h}H${w - SLANT}L${w} 0 ${w - SLANT} ${h}H${-w + SLANT}Z`;
    case 'transform': // a sheet with a folded corner
      return `M${-w + 6} ${-h}H${w - 14}L${w} ${-h + 14}V${h - 6}Q${w} ${h} ${w - 6} ${h}H${-w + 6}Q${-w} ${h} ${-w} ${h - 6}V${-h + 6}Q${-w} ${-h} ${-w + 6} ${-h}Z`;
    case 'ask': // a speech bubble
      return `M${-w + 8} ${-h}H${w - 8}A8 8 0 0 1 ${w} ${-h + 8}V${h - 8}A8 8 0 0 1 ${w - 8} ${h}H${-w + 22}L${-w + 11} ${h + 7}V${h}H${-w + 8}A8 8 0 0 1 ${-w} ${h - 8}V${-h + 8}A8 8 0 0 1 ${-w + 8} ${-h}Z`;
    case 'graph': // a rectangle with bars, as subroutines are drawn
      return round(w, h, 3);
    default:
      return round(w, h, 8);
  }
}

const round = (w, h, r) => `M${-w + r} ${-h}H${w - r}A${r} ${r} 0 0 1 ${w} ${-h + r}V${h - r}A${r} ${r} 0 0 1 ${w - r} ${h}H${-w + r}A${r} ${r} 0 0 1 ${-w} ${h - r}V${-h + r}A${r} ${r} 0 0 1 ${-w + r} ${-h}Z`;
