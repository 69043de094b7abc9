/** What a failure says to the person in front of it, and how it is shown. */

import { ApiError } from './api-error.ts';
import type { TFunction } from './i18n.ts';
import type { Notice } from './notify.ts';
import type { TextKey } from './text-key.ts';

/** What a status says by itself, where nothing else came with it: a proxy's own page, a body that was cut off. */
const STATUS_TEXTS: Readonly<Record<number, TextKey>> = {
  405: 'error.demo',
  429: 'error.tooMany',
  500: 'error.server',
};

/**
 * The server's own words, already in the viewer's language; ours only where it could not speak: those of the status,
 * `silent`, or what is wrong with the connection.
 */
export function errorText(error: unknown, t: TFunction, silent?: string): string {
  if (!(error instanceof ApiError)) return silent ?? t('error.unexpected');
  if (error.message) return error.message;
  const ofStatus = STATUS_TEXTS[error.status];
  if (ofStatus) return t(ofStatus);
  if (silent) return silent;
  return error.status === 0 ? t('error.offline') : t('error.transport', { status: error.status });
}

/** A site that only shows itself has no fault and nobody made a mistake: it tells how it is. */
export const errorTone = (error: unknown): 'plain' | 'bad' =>
  error instanceof ApiError && error.status === 405 ? 'plain' : 'bad';

export const requestIdOf = (error: unknown): string => (error instanceof ApiError ? error.requestId : '');

/** A failure as a short message. */
export const failureNotice = (error: unknown, t: TFunction, text = errorText(error, t)): Notice => ({
  tone: errorTone(error),
  text,
  requestId: requestIdOf(error),
});

/** The same failure with `text` for its words. */
export const told = (error: ApiError, text: string): ApiError =>
  new ApiError({ ...error.fields, message: text });
