/** The same function, which works out once what it tells of an object, and knows that for as long as the object is there. */
export function onceOf<Of extends object, What extends NonNullable<unknown> | null>(
  work: (of: Of) => What,
): (of: Of) => What {
  const known = new WeakMap<Of, What>();
  return (of) => {
    let what = known.get(of);
    if (what === undefined) {
      what = work(of);
      known.set(of, what);
    }
    return what;
  };
}
