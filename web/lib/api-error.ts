/** A call that did not succeed, as the envelope told it. */
export interface ApiErrorFields {
  /** Stable; `TRANSPORT` when no envelope came back (no network, a proxy's own page). */
  code: string;
  /** In the viewer's language, as the server wrote it; empty for TRANSPORT. */
  message: string;
  /** HTTP status; 0 when nothing came back. */
  status: number;
  requestId: string;
  /** The server wants it read: `showType` modal with a `msgType`. */
  modal?: boolean;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;
  readonly requestId: string;
  readonly modal: boolean;

  /** `data`: what the envelope carried besides; it does not cross from the server's rendering. */
  constructor(
    fields: ApiErrorFields,
    readonly data?: unknown,
  ) {
    super(fields.message);
    this.code = fields.code;
    this.status = fields.status;
    this.requestId = fields.requestId;
    this.modal = fields.modal ?? false;
  }

  get fields(): ApiErrorFields {
    const { code, message, status, requestId, modal } = this;
    return { code, message, status, requestId, modal };
  }
}
