/** A cell of a column whose width the viewer has said: what does not fit is cut off. On the phone it says nothing. */
export const widthStyle = (width: number | undefined) =>
  width === undefined ? {} : { 'data-sized': true, style: { width, minWidth: width, maxWidth: width } };
