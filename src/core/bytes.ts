/** Bytes as other readers of them want them. */

/** The same bytes with the searches of a Buffer; nothing is copied. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
