/** The pictures of the next question, while it is written. */
import { type ClipboardEvent, type DragEvent, useState } from 'react';
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
  const add = async (files: Iterable<File>) => {
    const read = await readPictures([...files], [...before, ...chosen]);
    setChosen((now) => [...now, ...read.pictures]);
    setRefused(read.refused);
  };
  return {
    chosen,
    refused,
    add: (files) => void add(files),
    remove: (picture) => setChosen((now) => now.filter((one) => one !== picture)),
    clear: () => {
      setChosen([]);
      setRefused([]);
    },
    onPaste(event) {
      const { files } = event.clipboardData;
      if (files.length === 0) return;
      // Programs put a picture beside the text that it was copied with.
      event.preventDefault();
      void add(files);
    },
    drop: {
      onDragOver: (event) => bringsFiles(event) && event.preventDefault(),
      onDrop(event) {
        if (!bringsFiles(event)) return;
        event.preventDefault();
        void add(event.dataTransfer.files);
      },
    },
  };
}
