/** Which encodings of a body its reader takes. */
export const accepts = (request: Request, encoding: string): boolean =>
  (request.headers.get('accept-encoding') ?? '')
    .split(',')
    .some((part) => part.split(';')[0]?.trim() === encoding && !/;\s*q=0(\.0+)?\s*$/.test(part));
