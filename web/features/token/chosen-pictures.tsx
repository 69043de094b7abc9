/** Over the field of the question: the pictures that go with it, and what cannot. */
import { ImagePlus, X } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { PICTURE_MAX, PICTURE_TYPES, PICTURES_MAX, shownAs } from './pictures.ts';
import type { Pictures } from './use-pictures.ts';

const MB = 1024 * 1024;
const bounds = { each: PICTURE_MAX / MB, all: PICTURES_MAX / MB };

export function ChosenPictures({ pictures }: { pictures: Pictures }) {
  const { t } = useTranslation();
  return (
    <>
      {pictures.chosen.length > 0 && (
        <ul aria-label={t('chat.pictures')} className="mb-2 flex flex-wrap gap-2">
          {pictures.chosen.map((picture) => (
            <li key={picture.name} className="relative">
              <img
                src={shownAs(picture)}
                alt={picture.name}
                className="size-16 rounded-sm border border-line object-contain max-md:size-20"
              />
              <Button
                size="icon"
                className="absolute -top-1.5 -right-1.5 size-6 rounded-full max-md:size-11 max-md:border-transparent max-md:bg-transparent"
                aria-label={t('chat.pictureRemove', { name: picture.name })}
                onClick={() => pictures.remove(picture)}
              >
                <X className="size-3.5 rounded-full max-md:size-6 max-md:border max-md:border-line-btn max-md:bg-surface max-md:p-1" />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div role="alert" className="text-xs text-bad not-empty:mb-2">
        {pictures.refused.map(({ name, why }) => (
          <p key={name} className="break-words">
            {t(why, { name, ...bounds })}
          </p>
        ))}
      </div>
    </>
  );
}

/** On a phone it offers the camera too. */
export function AttachButton({ onFiles }: { onFiles: (files: Iterable<File>) => void }) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const label = t('chat.attach');
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={PICTURE_TYPES.join()}
        multiple
        hidden
        aria-label={label}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // The same file may be chosen again.
          target.value = '';
        }}
      />
      <Button
        size="icon"
        variant="ghost"
        className="mb-1 max-md:mb-0"
        aria-label={label}
        title={label}
        onClick={() => input.current?.click()}
      >
        <ImagePlus aria-hidden="true" />
      </Button>
    </>
  );
}
