/** The links to chat apps as rows, out of the option that holds them as JSON. */
import { readChatLinks } from '@/features/token/chat-links.ts';

export interface ChatRow {
  name: string;
  link: string;
}

/** Null when the text holds anything but such links. */
export const chatRows = (text: string): ChatRow[] | null => readChatLinks(text);

/** The text of the option; rows without a word in them are still being written. */
export function chatText(rows: readonly ChatRow[]): string {
  const written = rows
    .map(({ name, link }) => ({ name: name.trim(), link: link.trim() }))
    .filter(({ name, link }) => name !== '' || link !== '');
  return written.length === 0
    ? '[]'
    : `[\n${written.map(({ name, link }) => `  ${JSON.stringify({ [name]: link })}`).join(',\n')}\n]`;
}
