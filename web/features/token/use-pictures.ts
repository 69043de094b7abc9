/** The pictures of the next question, while it is written. */
import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react';
import { type Picture, type Refusal, readPictures } from './pictures.ts';

export interface Pictures {
  chosen: readonly Picture[];
  /** Of the files that came last. */
  refused: readonly Refusal[];
  add: (files: Iterable<File>) => void;
  remove: (picture: Picture) => void;
  clear: () => void;
  onPaste: (event: ClipboardEvent) => void;
  /** For the place that they may be dropped on. */
  drop: { onDragOver: (event: DragEvent) => void; onDrop: (event: DragEvent) => void };
}

const bringsFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');

/** `before`: those that were shown already, and go along again. */
export function usePictures(before: readonly Picture[]): Pictures {
  const [chosen, setChosen] = useState<readonly Picture[]>([]);
  const [refused, setRefused] = useState<readonly Refusal[]>([]);
  // What came together has one bound: it is read one after the other, beside all that is chosen by then.
  const all = useRef({ before, chosen, reading: Promise.resolve() });
  all.current.before = before;
  const choose = (pictures: readonly Picture[]) => {
    all.current.chosen = pictures;
    setChosen(pictures);
  };
  const add = (files: Iterable<File>) => {
    const brought = [...files];
    all.current.reading = all.current.reading.then(async () => {
      const read = await readPictures(brought, [...all.current.before, ...all.current.chosen]);
      choose([...all.current.chosen, ...read.pictures]);
      setRefused(read.refused);
    });
  };
  return {
    chosen,
    refused,
    add,
    remove: (picture) => choose(all.current.chosen.filter((one) => one !== picture)),
    clear: () => {
      choose([]);
      setRefused([]);
    },
    onPaste(event) {
      const { files } = event.clipboardData;
      if (files.length === 0) return;
      // Programs put a picture beside the text that it was copied with.
      event.preventDefault();
      add(files);
    },
    drop: {
      onDragOver: (event) => bringsFiles(event) && event.preventDefault(),
      onDrop(event) {
        if (!bringsFiles(event)) return;
        event.preventDefault();
        add(event.dataTransfer.files);
      },
    },
  };
}
