/** The operator's links to chat apps, as the browser keeps them. */
import { isObject, parseJson } from '@core/json.ts';

export interface ChatLink {
  name: string;
  /** With `{key}` and `{address}` in it. */
  link: string;
}

/** The links of a JSON list of `{name: link}`; null for a text that is none. */
export function readChatLinks(text: string): ChatLink[] | null {
  const list = parseJson(text);
  if (!Array.isArray(list)) return null;
  const links = list.flatMap((entry) =>
    isObject(entry)
      ? Object.entries(entry).map(([name, link]) => ({ name, link }))
      : [{ name: '', link: null }],
  );
  const isLink = (one: { name: string; link: unknown }): one is ChatLink =>
    one.name !== '' && typeof one.link === 'string';
  return links.every(isLink) ? links : null;
}
