/** A long list in pieces of at most so many, in its order. */
export function* inPieces<T>(all: readonly T[], most: number): Generator<T[]> {
  for (let at = 0; at < all.length; at += most) yield all.slice(at, at + most);
}
