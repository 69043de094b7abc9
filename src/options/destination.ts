/** Where secrets go: each is used only at the place that it was given for, and has to be given again for another. */

export interface Destination {
  /** The options that form its address; none where it always goes to the same place. */
  readonly formedBy: readonly string[];
  /** The place for the texts of these options, in their order; empty where they name none. */
  placeOf(texts: readonly string[]): string;
}

/** To a maker whose address the product knows, or to nobody: it only checks what comes in. */
export const FIXED: Destination = { formedBy: [], placeOf: () => 'fixed' };

/** Scheme, host and port; a path is of the same owner. */
const originOf = (address: string): string => {
  const text = address.trim();
  return URL.canParse(text) ? new URL(text).origin : '';
};

/** To the address that an option holds, or to the usual one where that is empty. */
export const addressIn = (key: string, usual = ''): Destination => ({
  formedBy: [key],
  placeOf: ([address = '']) => originOf(address.trim() || usual),
});

/** The same, where the usual address goes by the choice of another option. */
export const addressOrUsual = (
  key: string,
  choice: string,
  usual: Readonly<Record<string, string>>,
): Destination => ({
  formedBy: [key, choice],
  placeOf: ([address = '', chosen = '']) => originOf(address.trim() || (usual[chosen] ?? '')),
});

/** Whoever connects there speaks TLS from the first byte (RFC 8314, 3.3). */
export const IMPLICIT_TLS_PORT = 465;

/** To a mail server. Its port tells whether the line is encrypted from the first byte, and so does a switch. */
export const mailServer = (host: string, port: string, isEncrypted: string): Destination => ({
  formedBy: [host, port, isEncrypted],
  placeOf([name = '', number = '', encrypted = '']) {
    if (name.trim() === '') return '';
    const isAtOnce = encrypted.trim() === 'true' || Number(number) === IMPLICIT_TLS_PORT;
    return `${isAtOnce ? 'smtps' : 'smtp'}://${name.trim().toLowerCase()}:${Number(number)}`;
  },
});
