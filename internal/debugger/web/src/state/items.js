// The way from item to item, and from turn to turn, of a block of steps.
import { get, seg } from '../lib/api.js';
import { addressOf, isTurn, lastOf, outerOf, split } from '../lib/address.js';
import { shownItems } from './latest.js';
import { frame, go, run, stepsAt } from './run.js';
import { attempt } from './ui.js';

// toItem inspects the item or turn of a block that is by so many after the one that the graph shows, where there is one.
export const toItem = (block, by) => attempt(async () => {
  const shown = addressOf(frame.value, stepsAt.value, shownItems.value[block]);
  const of = outerOf(shown);
  const first = isTurn(shown) ? 1 : 0;
  const { frame: inside, index, part } = split(of);
  const { total } = await get(`runs/${seg(run.value.id)}/parts`, { frame: inside, at: index, part, limit: 1 });
  const to = Number(lastOf(shown)) + by;
  if (to >= first && to < total + first) go(index, split(`${of}${isTurn(shown) ? '@' : '.'}${to}`).part);
});
