import { createHash, createHmac } from 'node:crypto';

/** Lower-case hex of SHA-256. */
export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

export const hmacSha256 = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();
