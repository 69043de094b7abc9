/** How long names and passwords of accounts may be, counted in characters: the server refuses by it, the forms warn by it. */

export const USERNAME_MAX = 12;
export const DISPLAY_NAME_MAX = 20;
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 20;
export const REMARKS_MAX = 255;

/** How long nobody can have another code, or another mail, sent. */
export const CODE_AGAIN_SEC = 60;

/** How long an application waits for the relay key that it asks its user for; known clients give up after some 310 s. */
export const TOKEN_REQUEST_SEC = 300;

/** A mobile number of mainland China. */
export const isPhoneNumber = (text: string): boolean => /^1[3-9]\d{9}$/.test(text);

export const lengthOf = (text: string): number => [...text].length;

export const hasPasswordLength = (password: string): boolean =>
  lengthOf(password) >= PASSWORD_MIN && lengthOf(password) <= PASSWORD_MAX;

/** Letters and digits, of a right length: what its owner must choose. */
export const isSoundPassword = (password: string): boolean =>
  hasPasswordLength(password) && /[A-Za-z]/.test(password) && /\d/.test(password);
