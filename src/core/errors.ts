/**
 * The one error type, and the door to the closed catalogue of everything the gateway may refuse, which stands in
 * `errors/` by subject. A row fixes the HTTP status of both surfaces, the public text in both languages and the `code`
 * that machines match on. Public text never carries internal text; what is only for the log goes into `internal`.
 */
import { catalogue, type ErrorCode } from './errors/catalogue.ts';
import type { Row } from './errors/row.ts';
import { fieldWords } from './field-words.ts';
import { type Fillings, fill, type Locale, type Text } from './text.ts';

export { catalogue, type ErrorCode, type Locale, type Text };

/** Refusals that say what must be done elsewhere first: a console shows them in a window of their own. */
export const SHOWN_IN_MODAL: ReadonlySet<ErrorCode> = new Set([
  'EMAIL_NEEDED',
  'LINUXDO_ACCOUNT',
  'LINUXDO_TRUST',
]);
export type ErrorParams = Fillings;

export interface ErrorDetail {
  params?: ErrorParams;
  /** The row that says more than its own does, of which it keeps the code and the status. */
  words?: ErrorCode;
  /** The field of the request that it is about, as it is spelled there. */
  field?: string;
  cause?: unknown;
  /** For the log only. */
  internal?: string;
  retryAfterSec?: number;
  /** What the envelope carries besides, for clients that know a call's failure by its data. */
  data?: unknown;
  /** More headers of a relay's answer. */
  headers?: Record<string, string>;
  /** Replaces the relay status of the entry, for an upstream's own status that is handed on. */
  status?: number;
  /** It is final: the upstream has worked, and the call is charged. Clients are told not to repeat it by themselves. */
  isCharged?: boolean;
  /** It is a bound of our own that an answer is beyond. */
  isOwnBound?: boolean;
  /** How an upstream classed its own error, for one that is handed on. */
  upstream?: { type?: string; code?: string; param?: string | null };
}

/** When what is not there now may be there again, where nothing better is known. */
const AGAIN_SEC = 5;

const CHARGED: Text = {
  zh: '（上游已完成工作，此次调用已计费）',
  en: ' (the upstream has worked: this call is charged, and so is each repetition)',
};

export class AppError extends Error {
  override readonly name = 'AppError';
  constructor(
    readonly code: ErrorCode,
    readonly detail: ErrorDetail = {},
  ) {
    super(detail.internal ?? code, { cause: detail.cause });
  }

  /** What machines match on. */
  get publicCode(): ErrorCode {
    const named: Row = catalogue[this.code];
    return named.code ?? this.code;
  }

  get apiStatus(): number {
    return this.detail.status ?? catalogue[this.code].api;
  }

  get relayStatus(): number {
    return this.detail.status ?? catalogue[this.code].relay;
  }

  /** `Retry-After` of an answer of this status, in seconds; every 503 of a call that costs nothing has one. Null for none. */
  retryAfter(status: number): string | null {
    if (this.detail.isCharged) return null;
    const seconds = this.detail.retryAfterSec ?? (status === 503 ? AGAIN_SEC : 0);
    return seconds > 0 ? String(Math.ceil(seconds)) : null;
  }

  /** The public text. */
  text(locale: Locale): string {
    const text = fill(catalogue[this.detail.words ?? this.code].text, this.detail.params ?? {}, locale);
    return this.detail.isCharged ? `${text}${CHARGED[locale]}` : text;
  }
}

/** Makes the one error that may be thrown on purpose. */
export const fail = (code: ErrorCode, detail?: ErrorDetail): AppError => new AppError(code, detail);

/** The refusal of a field of a call, by its name in the call. */
export const badParam = (field: string): AppError =>
  fail('BAD_PARAM', { params: { field: fieldWords(field) }, data: { field } });
