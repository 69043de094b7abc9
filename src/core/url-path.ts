/** The path of an absolute address, without its query: what a query says is nobody's business. `/` where there is none. */
export function pathOf(url: string): string {
  const from = url.indexOf('/', url.indexOf('://') + 3);
  if (from < 0) return '/';
  const query = url.indexOf('?', from);
  return query < 0 ? url.slice(from) : url.slice(from, query);
}
