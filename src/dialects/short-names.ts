/**
 * Names that a caller gives, of his end user, his conversation or a call of a tool, have bounds at who is told them: what
 * is longer is refused with the whole call. They mean nothing there but that two are the same.
 */
import type { ChatRequest } from './neutral.ts';

export const digestOf = (text: string, chars: number): string =>
  new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, chars);

/** A name of at most so many characters: a longer one is always the same digest of itself, which no other longer one has. */
export const shortName = (name: string, most: number): string =>
  name.length <= most ? name : digestOf(name, most);

/** The request as it may be told to who takes names of so many characters. */
export function withShortNames(request: ChatRequest, most: number): ChatRequest {
  const { user = '', promptCacheKey = '' } = request;
  if (user.length <= most && promptCacheKey.length <= most) return request;
  return {
    ...request,
    ...(request.user !== undefined && { user: shortName(user, most) }),
    ...(request.promptCacheKey !== undefined && { promptCacheKey: shortName(promptCacheKey, most) }),
  };
}
