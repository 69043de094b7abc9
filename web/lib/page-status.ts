/** The status of a page that could not be made. For the server alone: the catalogue is too long for a browser. */
import { catalogue, type ErrorCode } from '@core/errors.ts';
import { ApiError } from './api-error.ts';

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(catalogue, code);

/** What a call refused by rule it tells with 200; of a page the status says it, as it does on the relay. */
export function pageStatusOf(error: unknown): number {
  if (!(error instanceof ApiError)) return 500;
  if (error.status >= 400) return error.status;
  return isKnown(error.code) ? catalogue[error.code].relay : 500;
}
