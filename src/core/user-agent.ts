/** Which browser and system a User-Agent header names, as far as somebody needs to know his own devices again. */

export interface Device {
  /** Empty when it is none of the known ones. */
  browser: string;
  system: string;
}

type Marks = readonly (readonly [mark: RegExp, name: string])[];

// Most browsers claim to be Chrome or Safari besides, so the order decides: the most particular first.
const BROWSERS: Marks = [
  [/MicroMessenger\//, 'WeChat'],
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Electron\//, 'Electron'],
  [/HeadlessChrome\/|Chrome\/|CriOS\/|Chromium\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

// Android claims to be Linux, and an iPhone to be like Mac OS X.
const SYSTEMS: Marks = [
  [/iPhone|iPod/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/HarmonyOS|OpenHarmony/, 'HarmonyOS'],
  [/Windows/, 'Windows'],
  [/Macintosh|Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

const firstOf = (marks: Marks, text: string): string => marks.find(([mark]) => mark.test(text))?.[1] ?? '';

export const readUserAgent = (text: string): Device => ({
  browser: firstOf(BROWSERS, text),
  system: firstOf(SYSTEMS, text),
});
