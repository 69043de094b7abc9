/** The console's colours for what has not its style sheet: each as its token there, in the light and in the dark. */

export interface Colour {
  light: string;
  dark: string;
}

export const bg: Colour = { light: '#f9fafb', dark: '#0e1114' };
export const surface: Colour = { light: '#ffffff', dark: '#16191c' };
export const raised: Colour = { light: '#ffffff', dark: '#1e2226' };
export const line: Colour = { light: '#dbdee2', dark: '#2d3136' };
export const lineStrong: Colour = { light: '#80878e', dark: '#727880' };
export const text: Colour = { light: '#1b2026', dark: '#ebedf0' };
export const muted: Colour = { light: '#575e67', dark: '#a6abb2' };
export const accent: Colour = { light: '#00657e', dark: '#57c1dd' };
export const onAccent: Colour = { light: '#fafcfd', dark: '#03171d' };
export const accentText: Colour = { light: '#00596f', dark: '#6bcde9' };
export const bad: Colour = { light: '#b92323', dark: '#f9837d' };
