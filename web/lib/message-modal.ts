/** What is to be read before anything else, such as a refusal with `showType` modal. Drawn by the shell. */
import type { ApiError } from './api-error.ts';
import { createListeners } from './listeners.ts';

let shown: string | null = null;
const listeners = createListeners();

/** Shows a text until it has been read. */
const showModal = (text: string | null): void => {
  shown = text;
  listeners.tell();
};

/** Opens the modal when that is how the refusal is to be shown. */
export function showAsAsked(error: ApiError): void {
  if (error.modal && error.message) showModal(error.message);
}

export const closeModal = (): void => showModal(null);
export const modalText = (): string | null => shown;
export const onModal = listeners.add;
