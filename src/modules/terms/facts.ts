/** What calls and pages alike must know of what people agree to. */

export const documents = ['terms-of-service', 'privacy-policy'] as const;
export type DocumentName = (typeof documents)[number];
