// Lists of which tools have a term. A posting is one 32-bit number: the tool's slot (20 bits), where the term stands
// (2 bits), and how much of the tool it makes up (10 bits), so that a catalogue of ten thousand tools takes a few MiB.

/** Slots that there can be: tools at once, old and new ones of a list that is replaced counted. */
export const maxSlots = 2 ** 20;
const maxWeight = 1023;
export const shareStep = 1 / maxWeight;
export const inName = 1;
export const inServer = 2;

/** @param share how much of the tool the term makes up, 0 to 1. */
export function packPosting(slot: number, share: number, places: number): number {
  return ((slot << 12) | (places << 10) | Math.max(1, Math.min(maxWeight, Math.round(share * maxWeight)))) >>> 0;
}

export function slotOf(posting: number): number {
  return posting >>> 12;
}

/** How much of the tool the term makes up, in steps of `shareStep`. */
export function shareStepsOf(posting: number): number {
  return posting & maxWeight;
}

export function placesOf(posting: number): number {
  return (posting >>> 10) & 3;
}
