// What the pages lack for those who listen or use keys. Some of it is there only once the theme has drawn it.
function mend() {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap")) table.tabIndex = 0;
  // One landmark for the whole menu, not one for each of its parts and each piece of code.
  for (const part of document.querySelectorAll(".md-nav .md-nav, .md-code__nav")) {
    for (const name of ["aria-label", "aria-labelledby", "aria-expanded"]) part.removeAttribute(name);
    part.role = "none";
  }
}

mend();
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
