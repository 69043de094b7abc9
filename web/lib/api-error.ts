/** A call that did not succeed, as the envelope told it. */
export interface ApiErrorFields {
  /** Stable; `TRANSPORT` when no envelope came back (no network, a proxy's own page). */
  code: string;
  /** In the viewer's language, as the server wrote it; empty for TRANSPORT. */
  message: string;
  /** HTTP status; 0 when nothing came back. */
  status: number;
  requestId: string;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;
  readonly requestId: string;

  constructor(fields: ApiErrorFields) {
    super(fields.message);
    this.code = fields.code;
    this.status = fields.status;
    this.requestId = fields.requestId;
  }

  get fields(): ApiErrorFields {
    const { code, message, status, requestId } = this;
    return { code, message, status, requestId };
  }
}
