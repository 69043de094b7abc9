/** Hands a text to the browser as a file. */
export const saveText = (name: string, text: string): void =>
  saveFile(name, new Blob([text], { type: 'text/plain;charset=utf-8' }));

/** The browser has begun to save it by then. */
const SAVING_MS = 10_000;

/** Hands a file on to the browser, byte for byte. */
export function saveFile(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  // A slash or a colon in a name would mean a folder or a stream to some systems.
  link.download = name.replace(/[\\/:*?"<>|]/g, '_');
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), SAVING_MS);
}
