/** The check sum of pages of Ogg (RFC 3533, 6): CRC-32 by 0x04c11db7 from the highest bit on, which begins at 0. */

/** What a byte comes to with none to three bytes behind it: four at once are ten times as fast as one by one. */
const TABLE = table();

function table(): Int32Array {
  const sums = new Int32Array(4 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let sum = byte << 24;
    for (let bit = 0; bit < 8; bit++) sum = sum < 0 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
    sums[byte] = sum;
  }
  for (let n = 256; n < sums.length; n++) {
    const before = sums[n - 256] ?? 0;
    sums[n] = (before << 8) ^ (sums[before >>> 24] ?? 0);
  }
  return sums;
}

export function pageSum(page: Buffer): number {
  let sum = 0;
  let at = 0;
  for (; at + 4 <= page.length; at += 4) {
    const word = sum ^ page.readInt32BE(at);
    sum =
      (TABLE[768 + (word >>> 24)] ?? 0) ^
      (TABLE[512 + ((word >>> 16) & 255)] ?? 0) ^
      (TABLE[256 + ((word >>> 8) & 255)] ?? 0) ^
      (TABLE[word & 255] ?? 0);
  }
  for (; at < page.length; at++) sum = (sum << 8) ^ (TABLE[(sum >>> 24) ^ (page[at] ?? 0)] ?? 0);
  return sum >>> 0;
}
