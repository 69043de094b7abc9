import { Send, Square } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type Ref, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { Textarea } from '@/components/ui/input.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Question } from './chat.ts';
import { AttachButton, ChosenPictures } from './chosen-pictures.tsx';
import type { Pictures } from './use-pictures.ts';

interface ComposerProps {
  ref?: Ref<HTMLTextAreaElement>;
  pictures: Pictures;
  pending: boolean;
  /** False where there is nobody to ask, or a setting is wrong. */
  ready: boolean;
  onSend: (question: Question) => void;
  onStop: () => void;
  /** Further buttons, before the field; on the phone below it. */
  children?: ReactNode;
}

/** Enter sends, with Shift it breaks the line; an input method's Enter chooses a word. */
export function Composer({ ref, pictures, pending, ready, onSend, onStop, children }: ComposerProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const text = typed.trim();
  const canSend = ready && !pending && (text !== '' || pictures.chosen.length > 0);
  const send = () => {
    if (!canSend) return;
    onSend({ text, pictures: pictures.chosen });
    setTyped('');
    pictures.clear();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className="min-w-0 flex-1"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <ChosenPictures pictures={pictures} />
      <div className="flex items-end gap-2 max-md:flex-wrap">
        <span className="flex max-md:order-1">
          {children}
          <AttachButton onFiles={pictures.add} />
        </span>
        <Textarea
          ref={ref}
          rows={2}
          aria-label={t('chat.message')}
          placeholder={t('chat.placeholder')}
          className="field-sizing-content max-h-40 min-h-[58px] flex-1 resize-none text-base max-md:basis-full"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={pictures.onPaste}
        />
        {pending ? (
          <Button size="lg" className="max-md:order-2 max-md:ml-auto" onClick={onStop}>
            <Square aria-hidden="true" />
            {t('token.stop')}
          </Button>
        ) : (
          <Button
            type="submit"
            size="lg"
            variant="primary"
            className="max-md:order-2 max-md:ml-auto"
            disabled={!canSend}
          >
            <Send aria-hidden="true" />
            {t('chat.send')}
          </Button>
        )}
      </div>
    </form>
  );
}
