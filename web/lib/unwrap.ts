/** The envelope → a successful answer, or an ApiError. */
import { ApiError } from './api-error.ts';

/** Some calls say something beside their data. */
export interface Answer {
  data?: unknown;
}

interface Envelope extends Answer {
  success: boolean;
  message?: string;
  code?: string;
  showType?: string;
  msgType?: string;
}

const isEnvelope = (value: unknown): value is Envelope =>
  typeof value === 'object' && value !== null && 'success' in value && typeof value.success === 'boolean';

/** All of a successful answer. Throws ApiError for every other. */
export async function unwrap(response: Response): Promise<Answer> {
  const requestId = response.headers.get('x-request-id') ?? '';
  const body: unknown = await response.json().catch(() => null);
  if (!isEnvelope(body)) {
    throw new ApiError({ code: 'TRANSPORT', message: '', status: response.status, requestId });
  }
  if (body.success) return body;
  const { code = 'UNKNOWN', message = '', showType, msgType, data } = body;
  const modal = showType === 'modal' && Boolean(msgType);
  throw new ApiError({ code, message, status: response.status, requestId, modal }, data);
}

/** The bytes of a file; a refusal comes as an envelope, and a connection that breaks half-way as none at all. */
export async function unwrapFile(response: Response): Promise<Blob> {
  const requestId = response.headers.get('x-request-id') ?? '';
  const noFile = (status: number) => new ApiError({ code: 'TRANSPORT', message: '', status, requestId });
  if (response.headers.get('content-disposition') === null) {
    await unwrap(response);
    throw noFile(response.status);
  }
  try {
    return await response.blob();
  } catch {
    // Half a file is none.
    throw noFile(0);
  }
}

/** True when the answer says that nobody, or somebody else, is signed in: only signing in again helps. */
export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;
