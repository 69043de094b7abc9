/** What a failure says to the person in front of it. */
import type { TFunction } from 'i18next';
import { ApiError } from './api-error.ts';

/**
 * The server's own words, already in the viewer's language; ours only where it could not speak: `silent`, or what is
 * wrong with the connection.
 */
export function errorText(error: unknown, t: TFunction, silent?: string): string {
  if (!(error instanceof ApiError)) return t('error.unexpected');
  if (error.message) return error.message;
  if (silent) return silent;
  return error.status === 0 ? t('error.offline') : t('error.transport', { status: error.status });
}

export const requestIdOf = (error: unknown): string => (error instanceof ApiError ? error.requestId : '');
