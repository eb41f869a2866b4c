/** Makes an HTML element with children and properties; names with a hyphen, role and scope are attributes. */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "role" || key === "scope") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

/** An icon of icons.svg, to stand before a word. */
export function icon(name) {
  return document.createRange().createContextualFragment(`<svg class="icon" aria-hidden="true"><use href="#icon-${name}"/></svg> `);
}
