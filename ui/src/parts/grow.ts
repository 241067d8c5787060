/** Whether the browser lets a field grow with its text. WebKitGTK and older Firefoxes don't. */
const grows = () => typeof CSS !== 'undefined' && CSS.supports('field-sizing', 'content')

/** Makes a field as high as its text, if the browser doesn't; its style limits the height. */
export function fit(field: HTMLTextAreaElement): void {
  if (grows()) return
  field.style.height = 'auto'
  field.style.height = `${field.scrollHeight}px`
}
