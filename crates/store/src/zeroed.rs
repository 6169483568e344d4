//! Large arrays of zeros.
//!
//! Tables that are probed at random are on huge pages where the system has them: with pages of 4 KiB, most
//! probes of a large table would also miss the processor's cache of page addresses. The system provides pages
//! when they are touched, so an array costs the memory that was written to, rounded up to pages.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use crate::{Budget, Full};

/// The size of a huge page, as far as this module relies on it. Arrays of at least this size are aligned to
/// it.
pub const HUGE: usize = 2 << 20;

/// Arrays of at least this size are returned to the system as soon as they are dropped: an allocator would
/// keep them, and growing tables would leave a trail of unused arrays behind.
const MAPPED: usize = 1 << 15;
/// The size of a page. Arrays that are mapped are aligned to it.
const PAGE: usize = 1 << 12;

/// Types for which all zeros is a valid value, and which need no drop.
pub trait Plain: Copy + sealed::Sealed {}

impl Plain for u32 {}
impl Plain for u64 {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}

/// An array of fixed length whose elements are zero at first.
#[derive(Debug)]
pub struct Zeroed<T: Plain> {
    start: NonNull<T>,
    len: usize,
}

// SAFETY: it owns its elements, which are plain numbers.
unsafe impl<T: Plain> Send for Zeroed<T> {}
// SAFETY: as above; shared access only reads.
unsafe impl<T: Plain> Sync for Zeroed<T> {}

impl<T: Plain> Zeroed<T> {
    pub const fn empty() -> Self {
        Self { start: NonNull::dangling(), len: 0 }
    }

    /// An array of `len` zeros. Fails if the budget or the system refuses.
    pub fn new(len: usize, budget: &Budget) -> Result<Self, Full> {
        if len == 0 {
            return Ok(Self::empty());
        }
        let layout = Self::layout(len).ok_or(Full::Memory)?;
        if !budget.allows(layout.size()) {
            return Err(Full::Memory);
        }
        let start = allocate(layout).ok_or(Full::Memory)?.cast::<T>();
        Ok(Self { start, len })
    }

    pub const fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    fn layout(len: usize) -> Option<Layout> {
        let bytes = len.checked_mul(size_of::<T>())?;
        let align = match bytes {
            HUGE.. => HUGE,
            MAPPED.. => PAGE,
            _ => 64,
        };
        Layout::from_size_align(bytes, align).ok()
    }

    /// Asks the processor to fetch an element that will be needed soon.
    #[inline]
    pub fn prefetch(&self, index: usize) {
        debug_assert!(index < self.len);
        prefetch(self.start.as_ptr().wrapping_add(index));
    }
}

/// Asks the processor to fetch the memory at an address, which need not be valid.
#[inline]
pub fn prefetch<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing that the program sees, and never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch(place.cast::<i8>(), _MM_HINT_T0);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

impl<T: Plain> Drop for Zeroed<T> {
    fn drop(&mut self) {
        if let Some(layout) = Self::layout(self.len)
            && self.len > 0
        {
            // SAFETY: allocated in `new` with the same layout, and not used any more.
            unsafe { free(self.start.cast(), layout) }
        }
    }
}

impl<T: Plain> Deref for Zeroed<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: `len` initialized elements from `start` on, or a dangling start and none.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T: Plain> DerefMut for Zeroed<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

/// Allocates zeroed memory. The layout must not be of size 0.
fn allocate(layout: Layout) -> Option<NonNull<u8>> {
    #[cfg(target_os = "linux")]
    match layout.align() {
        HUGE => return pages::map_huge(layout.size()),
        PAGE => return pages::map(layout.size()),
        _ => {}
    }
    // SAFETY: the layout is not of size 0.
    NonNull::new(unsafe { alloc_zeroed(layout) })
}

/// # Safety
/// `start` is what `allocate` returned for `layout`, and the memory is not used any more.
unsafe fn free(start: NonNull<u8>, layout: Layout) {
    #[cfg(target_os = "linux")]
    if layout.align() >= PAGE {
        // SAFETY: as promised.
        return unsafe { pages::unmap(start, layout.size().next_multiple_of(layout.align())) };
    }
    // SAFETY: as promised.
    unsafe { dealloc(start.as_ptr(), layout) }
}

/// Whether the system has this number of bytes of address space left. They are returned at once, untouched,
/// and without involving the allocator, whose behaviour depends on what is freed.
pub fn is_available(bytes: usize) -> bool {
    #[cfg(target_os = "linux")]
    return pages::map(bytes).is_some_and(|start| {
        // SAFETY: the mapping was made in the line before.
        unsafe { pages::unmap(start, bytes) };
        true
    });
    #[cfg(not(target_os = "linux"))]
    Zeroed::<u64>::new(bytes / size_of::<u64>() + 1, &Budget::unlimited()).is_ok()
}

/// Makes room for more elements. Fails if the budget or the system refuses. Large vectors grow without being
/// copied: the system moves their pages. Room that was not written to does not show in the resident set,
/// which a budget limits, so under a limit there is never much of it.
pub fn grow<T: Plain>(vector: &mut Vec<T>, budget: &Budget) -> Result<(), Full> {
    grow_from(vector, 1 << 10, budget)
}

/// Like [`grow`], by at least `least` elements.
pub fn grow_from<T: Plain>(vector: &mut Vec<T>, least: usize, budget: &Budget) -> Result<(), Full> {
    let most = budget.limit().map_or(usize::MAX, |limit| limit / 256 / size_of::<T>());
    grow_by(vector, (vector.len() / 4).min(most).max(least), budget)
}

/// Makes room for `more` elements beyond the present ones. If it fails, the vector is unchanged.
pub fn grow_by<T: Plain>(vector: &mut Vec<T>, more: usize, budget: &Budget) -> Result<(), Full> {
    if !budget.allows(more * size_of::<T>()) {
        return Err(Full::Memory);
    }
    vector.try_reserve_exact(more).map_err(|_| Full::Memory)?;
    #[cfg(target_os = "linux")]
    pages::prefer_huge(vector.as_ptr().cast(), vector.capacity() * size_of::<T>());
    Ok(())
}

/// Memory directly from the kernel: an allocator would write zeros to memory that is zero already, and so
/// touch every page.
#[cfg(target_os = "linux")]
mod pages {
    use std::ptr::{NonNull, null_mut};

    use super::HUGE;

    pub fn map(bytes: usize) -> Option<NonNull<u8>> {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping that collides with nothing.
        let raw = unsafe { libc::mmap(null_mut(), bytes, access, kind, -1, 0) };
        if raw == libc::MAP_FAILED { None } else { NonNull::new(raw.cast()) }
    }

    pub fn map_huge(bytes: usize) -> Option<NonNull<u8>> {
        let whole = bytes.checked_next_multiple_of(HUGE)?;
        let raw = map(whole.checked_add(HUGE)?)?.as_ptr();
        let before = raw.align_offset(HUGE);
        let start = raw.wrapping_add(before);
        // SAFETY: these are the parts of the mapping before and behind what is used, and then whole pages
        // inside of it. Huge pages are a request: if it is not granted, everything works as well, but slower.
        unsafe {
            if before > 0 {
                libc::munmap(raw.cast(), before);
            }
            if before < HUGE {
                libc::munmap(start.wrapping_add(whole).cast(), HUGE - before);
            }
            libc::madvise(start.cast(), bytes / HUGE * HUGE, libc::MADV_HUGEPAGE);
        }
        NonNull::new(start)
    }

    /// Requests huge pages for the whole ones among `bytes`.
    pub fn prefer_huge(start: *const u8, bytes: usize) {
        let before = start.align_offset(HUGE);
        if before + HUGE <= bytes {
            // SAFETY: whole pages inside of memory that the caller has borrowed; the request does not change
            // its contents.
            unsafe {
                libc::madvise(
                    start.wrapping_add(before).cast_mut().cast(),
                    (bytes - before) / HUGE * HUGE,
                    libc::MADV_HUGEPAGE,
                )
            };
        }
    }

    /// # Safety
    /// `start` is what a mapping of `bytes` bytes returned, in whole pages of its kind, and the memory is not
    /// used any more.
    pub unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
        // SAFETY: as promised: this is all that is left of the mapping.
        unsafe { libc::munmap(start.as_ptr().cast(), bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_of_all_sizes() {
        for len in [0, 1, 1000, MAPPED / 8 - 1, MAPPED / 8, MAPPED / 8 + 1, HUGE / 8, HUGE / 8 + 1, HUGE] {
            let mut array = Zeroed::<u64>::new(len, &Budget::unlimited()).unwrap();
            assert!(array.len() == len && array.iter().all(|&element| element == 0));
            if let Some(last) = array.last_mut() {
                *last = 7;
                assert_eq!(array[len - 1], 7);
                array.prefetch(len - 1);
            }
        }
    }

    #[test]
    fn what_the_budget_or_the_system_refuses_is_an_error() {
        assert_eq!(Zeroed::<u32>::new(251, &Budget::counted(1000)).err(), Some(Full::Memory));
        assert!(Zeroed::<u32>::new(250, &Budget::counted(1000)).is_ok());
        assert_eq!(Zeroed::<u64>::new(usize::MAX / 8, &Budget::unlimited()).err(), Some(Full::Memory));
        assert_eq!(Zeroed::<u64>::new(usize::MAX / 4, &Budget::unlimited()).err(), Some(Full::Memory));
    }
}
