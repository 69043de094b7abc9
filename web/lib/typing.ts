/** Nobody types so slowly: after this pause what stands in a field is meant, and asked for. */
export const TYPING_MS = 400;
